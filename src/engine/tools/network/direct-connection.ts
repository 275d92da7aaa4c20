import type { Hop } from "./next-hop.ts";

/** Sends one request to one checked address only; does not follow redirects or decompress the answer. */
export type Connect = (hop: Hop, address: string, signal: AbortSignal) => Promise<Response>;

/** Idle connections are closed after this time; servers often close them earlier. */
const idleSeconds = 8;

/**
 * Connects with Bun's fetch to the literal address, with the host's name in `Host` and in TLS. The pool is keyed by address and TLS name,
 * so that a connection for one name is never used for another.
 */
export function createDirectConnections(): Connect {
  const session = new Bun.FetchSession({ keepAlive: { idleTimeout: idleSeconds, maxIdleSockets: 256 } });
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
    return session.fetch(`${url.protocol}//${literal}${port}${url.pathname}${url.search}`, init);
  };
}
