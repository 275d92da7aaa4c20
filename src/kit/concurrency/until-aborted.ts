import { type AbortListener, listenTo, stopListening } from "./on-abort.ts";

/**
 * Returns the outcome of `work`, or rejects with the signal's reason as soon as the signal aborts. The outcome of the work after that is
 * ignored. Work does not begin if the signal has already aborted.
 */
export function untilAborted<T>(signal: AbortSignal, work: () => T | Promise<T>): Promise<T> {
  // An exception thrown in here rejects the promise. A race would create three more promises, and a run waits so several times.
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const listener: AbortListener = { signalAborted: () => reject(signal.reason) };
    listenTo(signal, listener);
    try {
      Promise.resolve(work()).then(
        (outcome) => {
          stopListening(signal, listener);
          resolve(outcome);
        },
        (thrown) => {
          stopListening(signal, listener);
          reject(thrown);
        },
      );
    } catch (thrown) {
      stopListening(signal, listener);
      reject(thrown);
    }
  });
}
