import type { Clock } from "../../../kit/clock.ts";
import type { Hop } from "./next-hop.ts";

/** Sends one request to one checked address only; does not follow redirects or decompress the answer. */
export type Connect = (hop: Hop, address: string, signal: AbortSignal) => Promise<Response>;

/** Bun rounds the time after which it closes an idle connection to steps of 4 s. */
const idleSeconds = 8;
/** Shorter than the time after which a server closes an idle connection: the shortest in common use are 2 s and 5 s. */
const freshMs = 1_500;
/** Bun sends these again if the server closes the connection before it has answered. */
const idempotent: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS", "PUT", "DELETE"]);

/**
 * Connects with Bun's fetch to the literal address, with the host's name in `Host` and in TLS. The pool is keyed by address and TLS name,
 * so that a connection for one name is never used for another. A request that may not be sent twice never takes a connection that has been
 * idle for so long that the server may be closing it.
 */
export function createDirectConnections(clock: Clock): Connect {
  const reusedSession = newSession();
  const fresh = renewedSession(clock);
  return ({ to, method, headers, body }, address, signal) => {
    const { url, host } = to;
    const port = url.port === "" ? "" : `:${url.port}`;
    const literal = address.includes(":") ? `[${address}]` : address;
    const init: BunFetchRequestInit = {
      method,
      headers: { ...headers, host: to.address ? `${literal}${port}` : `${host}${port}` },
      signal,
      redirect: "manual",
      decompress: false,
      // Ignores the environment's proxy and its setting to disable certificate checks.
      proxy: false,
      // Only the caller's deadline applies.
      timeout: false,
    };
    if (body !== undefined) init.body = body as string | Uint8Array<ArrayBuffer>;
    if (url.protocol === "https:") {
      init.tls = to.address ? { rejectUnauthorized: true } : { rejectUnauthorized: true, serverName: host };
      init.protocol = "http1.1";
    }
    const session = idempotent.has(method) ? reusedSession : fresh();
    return session.fetch(`${url.protocol}//${literal}${port}${url.pathname}${url.search}`, init);
  };
}

const newSession = () =>
  new Bun.FetchSession({ keepAlive: { idleTimeout: idleSeconds, maxIdleSockets: 256 } });

/** Returns a session whose connections are all younger than `freshMs`, or were in use within it. */
function renewedSession(clock: Clock): () => Bun.FetchSession {
  let session = newSession();
  let renewedMs = clock.monotonicMs();
  return () => {
    if (clock.monotonicMs() - renewedMs > freshMs) {
      session.close();
      session = newSession();
      renewedMs = clock.monotonicMs();
    }
    return session;
  };
}
