import type { Hop } from "./next-hop.ts";

/** Sends one request to one checked address, and nowhere else; the answer is neither followed nor unpacked. */
export type Connect = (hop: Hop, address: string, signal: AbortSignal) => Promise<Response>;

/** Idle connections are closed after this; servers tend to do it sooner than we notice. */
const idleSeconds = 8;

/**
 * Connections by Bun's fetch to the literal address, with the host's name in `Host` and in TLS. The pool is keyed by
 * address and TLS name, so that a connection made for one name never serves another.
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
      // The environment may name a proxy, or switch off the checks of certificates: neither counts here.
      proxy: false,
      // The caller's deadline is the only one.
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
