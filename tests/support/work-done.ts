import type { Work } from "../../src/kit/concurrency/others-turn.ts";

/** Does the work at once: how many times it would have paused, and its value. */
export function workDone<T>(work: Work<T>): { pauses: number; value: T } {
  for (let pauses = 0; ; pauses++) {
    const next = work.next();
    if (next.done === true) return { pauses, value: next.value };
  }
}
