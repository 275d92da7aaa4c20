import type { Clock } from "../clock.ts";
import { NoAnswer } from "../outages/server-watch.ts";

/** Grace period in which a process that was paused or busy reads answers that have already arrived. */
const lateMs = 50;

/** Returns the result of `answer`; rejects with `NoAnswer` if it takes longer than `ms`. */
export async function within<T>(clock: Clock, ms: number, answer: PromiseLike<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  let cancelTimer = clock.timer(ms, () => {
    cancelTimer = clock.timer(lateMs, () => late.reject(new NoAnswer()));
  });
  try {
    return await Promise.race([answer, late.promise]);
  } finally {
    cancelTimer();
  }
}
