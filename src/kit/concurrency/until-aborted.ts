import { onAbort } from "./on-abort.ts";

/**
 * Returns the outcome of `work`, or rejects with the signal's reason as soon as the signal aborts. The outcome of the work after that is
 * ignored. Work does not begin if the signal has already aborted.
 */
export function untilAborted<T>(signal: AbortSignal, work: () => T | Promise<T>): Promise<T> {
  // An exception thrown in here rejects the promise. A race would create three more promises, and a run waits so several times.
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const forget = onAbort(signal, () => reject(signal.reason));
    const ends =
      <Outcome>(settle: (outcome: Outcome) => void) =>
      (outcome: Outcome) => {
        forget();
        settle(outcome);
      };
    try {
      Promise.resolve(work()).then(ends(resolve), ends(reject));
    } catch (thrown) {
      ends(reject)(thrown);
    }
  });
}
