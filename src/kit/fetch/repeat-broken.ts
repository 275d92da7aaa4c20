import type { Clock } from "../clock.ts";

/** A `fetch` whose requests have a body that can be sent again. */
type RepeatableFetch = (url: string, init: RequestInit) => Promise<Response>;

/** A closed connection is noticed within a round trip. What breaks later may have been caused by the request. */
const noticedMs = 2_000;

/**
 * Servers close connections that are idle, often after 5 s, and a request may be on its way at that instant. Bun sends it again only if its
 * method is idempotent (RFC 9110, 9.2.2). The returned `fetch` also sends a POST again, once and on a connection of its own, if its
 * connection was closed soon and before an answer. A request that may not arrive twice sets `keepalive` to false, which gives it a
 * connection of its own from the start.
 */
export function repeatingBroken(fetch: RepeatableFetch, clock: Clock): RepeatableFetch {
  return async (url, init) => {
    const sentMs = clock.monotonicMs();
    try {
      return await fetch(url, init);
    } catch (thrown) {
      const mayBeStale = init.keepalive !== false && wasReset(thrown) && init.signal?.aborted !== true;
      if (!mayBeStale || clock.monotonicMs() - sentMs > noticedMs) throw thrown;
      return fetch(url, { ...init, keepalive: false });
    }
  };
}

const wasReset = (thrown: unknown): boolean =>
  thrown instanceof Error && /RESET|CLOSED|EPIPE/i.test(String(Reflect.get(thrown, "code")));
