import type { Clock } from "../../kit/clock.ts";

/** How long a stream waits for its first event, whose failure has a status of its own: clients and proxies give up on a silent request. */
export const headStartMs = 10_000;

/** The value of a promise that settles within 10 s; undefined if it takes longer. Its later failure is for whoever reads it then. */
export async function withinHeadStart<T>(clock: Clock, first: Promise<T>): Promise<T | undefined> {
  const late = Promise.withResolvers<undefined>();
  const stop = clock.timer(headStartMs, () => late.resolve(undefined));
  try {
    return await Promise.race([first, late.promise]);
  } finally {
    stop();
    first.catch(() => {});
  }
}
