/** The only source of time: a test replaces it and runs a month in a millisecond. */
export interface Clock {
  /** The wall clock. */
  now(): Date;
  /** Monotonic milliseconds since an arbitrary origin, for durations. */
  monotonicMs(): number;
  /**
   * Calls `fire` once after `ms`; the returned function cancels it. A pending timer keeps the process alive, because it may be all that a
   * caller waits for. A process therefore ends by `process.exit`, as commands do in `leave`.
   */
  timer(ms: number, fire: () => void): () => void;
}

/** The longest timer that the system takes. */
const systemTimerMs = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => new Date(),
  monotonicMs: () => performance.now(),
  timer(ms, fire) {
    if (!(ms > systemTimerMs)) {
      const timer = setTimeout(fire, ms);
      return () => clearTimeout(timer);
    }
    let cancel = () => {};
    cancel = this.timer(systemTimerMs, () => {
      cancel = this.timer(ms - systemTimerMs, fire);
    });
    return () => cancel();
  },
};

/** Resolves after `ms`, or rejects with the signal's reason if the signal aborts first. */
export function sleep(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const onAbort = () => {
      cancel();
      reject(signal?.reason);
    };
    const cancel = clock.timer(ms, () => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    });
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}
