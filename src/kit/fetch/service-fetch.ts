/**
 * Less than the 20 s after which our services close an idle connection: Bun rounds to steps of 4 s and may close up to two steps later.
 */
const idleSeconds = 8;

/**
 * `fetch` for calls to another process of Argosy. It keeps no connection for so long that the other may be closing it: a POST on its way at
 * that instant would fail, and nobody would know whether it was carried out.
 */
export const serviceFetch = new Bun.FetchSession({ keepAlive: { idleTimeout: idleSeconds } }).fetch;
