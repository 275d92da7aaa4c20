import type { Connection, Origin } from "../../../http/call.ts";

/**
 * Where a request came from that is handed on in another form: the server knows its connection by the first form alone. What
 * says that its owner sent it isn't handed on. `upgraded` is called when it becomes a WebSocket.
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

function sameConnection(received: Request, connection: Connection, upgraded: () => void): Connection {
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

/** What proxies told of where a request comes from: a service has to see it to count and to judge as if it had been called itself. */
export function forwardingHeaders(headers: Headers): [string, string][] {
  return [...headers].filter(([name]) => name === "forwarded" || name.startsWith("x-forwarded-"));
}
