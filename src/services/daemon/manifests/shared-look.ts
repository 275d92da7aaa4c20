import { type Clock, sleep } from "../../../kit/clock.ts";

/**
 * A look for several callers: those that come while one is under way share the next, because theirs must begin after they came. `rest` is
 * awaited before each.
 */
export function sharedLook(
  look: () => Promise<void>,
  rest: () => Promise<void> | undefined = () => undefined,
): () => Promise<void> {
  let last: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;
  return () => {
    next ??= last.then(rest).then(() => {
      next = undefined;
      // The watcher logs why a look failed. What is loaded keeps serving.
      last = look().catch(() => {});
      return last;
    });
    return next;
  };
}

/** After a look for strangers, the next waits four times as long as it took: asking for unknown names takes a fifth of the thread. */
const restFactor = 4;

const restMaxMs = 1000;

/** As `sharedLook`, for callers who may ask for any name. */
export function pacedLook(look: () => Promise<void>, clock: Clock): () => Promise<void> {
  let dueAtMs = 0;
  const timed = async () => {
    const fromMs = clock.monotonicMs();
    try {
      await look();
    } finally {
      const nowMs = clock.monotonicMs();
      dueAtMs = nowMs + Math.min(restMaxMs, restFactor * (nowMs - fromMs));
    }
  };
  return sharedLook(timed, () => {
    const restMs = dueAtMs - clock.monotonicMs();
    return restMs > 0 ? sleep(clock, restMs) : undefined;
  });
}
