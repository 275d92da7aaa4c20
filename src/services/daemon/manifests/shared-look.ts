import { type Clock, sleep } from "../../../kit/clock.ts";

/** After a look, the next one waits four times as long as it took, so that callers who ask for unknown names take a fifth of the thread. */
const pauseFactor = 4;

const pauseMaxMs = 1000;

/** A look for several callers: those that come while one is under way share the next, because theirs must begin after they came. */
export function sharedLook(look: () => Promise<void>, clock: Clock): () => Promise<void> {
  let last: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;
  let dueAtMs = 0;
  const afterTheLast = async () => {
    await last.catch(() => undefined);
    const pauseMs = dueAtMs - clock.monotonicMs();
    if (pauseMs > 0) await sleep(clock, pauseMs);
    next = undefined;
    const fromMs = clock.monotonicMs();
    await look();
    const nowMs = clock.monotonicMs();
    dueAtMs = nowMs + Math.min(pauseMaxMs, pauseFactor * (nowMs - fromMs));
  };
  return () => {
    if (next === undefined) {
      next = afterTheLast();
      last = next;
    }
    return next;
  };
}
