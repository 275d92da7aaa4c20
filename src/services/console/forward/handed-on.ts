import type { HttpConnection, Origin } from "../../../http/call.ts";

/**
 * Returns the origin for a forwarded request, whose connection the server knows only by the received request. Does not pass on that the
 * owner sent it. `upgraded` is called when it becomes a WebSocket.
 */
export function originOf(
  received: Request,
  { peer, connection, retiring, bodies }: Origin,
  upgraded: () => void = () => {},
): Origin {
  return {
    peer,
    ...(connection && { connection: sameConnection(received, connection, upgraded) }),
    ...(retiring && { retiring }),
    ...(bodies && { bodies }),
  };
}

function sameConnection(received: Request, connection: HttpConnection, upgraded: () => void): HttpConnection {
  return {
    timeout: (_, seconds) => connection.timeout(received, seconds),
    requestIP: () => connection.requestIP(received),
    upgrade(_, options) {
      const isUpgraded = connection.upgrade(received, options);
      if (isUpgraded) upgraded();
      return isUpgraded;
    },
  };
}

/**
 * Returns the headers in which proxies describe the client. A service needs them to count and check requests as if it had been called
 * directly.
 */
export function forwardingHeaders(headers: Headers): [string, string][] {
  return [...headers].filter(([name]) => name === "forwarded" || name.startsWith("x-forwarded-"));
}

/** Names the browser to a service where a person signs in, for their list of sessions. */
export function passClient(received: Headers, asked: Headers): void {
  const client = received.get("user-agent");
  if (client !== null) asked.set("user-agent", client);
}
