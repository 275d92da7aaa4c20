import type { AppError } from "./app-error.ts";
import type { Clock } from "./clock.ts";
import { onAbort } from "./concurrency/on-abort.ts";

export interface Deadline {
  /**
   * Aborts with the deadline's reason when the time is up, or with a parent's reason if a parent aborts first. It is created when it is
   * first read, because much work never looks at it.
   */
  readonly signal: AbortSignal;
  /** True if the time ran out, as opposed to a parent's abort. */
  readonly expired: boolean;
  /** As `untilAborted` for the signal, without creating it. */
  race<T>(work: () => T | Promise<T>): Promise<T>;
  /** Remaining time, never below 0. */
  remainingMs(): number;
  /** Aborts the signal now, as a parent would. Does nothing if the signal has aborted. */
  abort(reason: unknown): void;
  /** Moves the deadline to `ms` from now, `Infinity` for never. Does nothing if the signal has aborted. */
  restart(ms: number, reason: () => AppError): void;
  /** Forgets the timer and the parents. Callers must call it when the work has ended, with or without an error. */
  dispose(): void;
}

/** Starts a deadline of `ms`, `Infinity` for none. `reason` is called only if the deadline passes. */
export function startDeadline(
  clock: Clock,
  ms: number,
  reason: () => AppError,
  parents: readonly AbortSignal[] = [],
): Deadline {
  let controller: AbortController | undefined;
  /** Set once the deadline has ended. */
  let ended: { reason: unknown } | undefined;
  /** Work in a race with the end. */
  const racing = new Set<() => void>();
  let untilMs = Number.POSITIVE_INFINITY;
  let cancelTimer = () => {};
  let expired = false;

  const signal = () => {
    controller ??= new AbortController();
    if (ended !== undefined) controller.abort(ended.reason);
    return controller.signal;
  };
  const restart: Deadline["restart"] = (ms, reason) => {
    cancelTimer();
    untilMs = clock.monotonicMs() + ms;
    if (ms === Number.POSITIVE_INFINITY) return;
    cancelTimer = clock.timer(ms, () => {
      expired = true;
      end(reason());
    });
  };
  restart(ms, reason);
  const forgets = parents.map((parent) => onAbort(parent, () => end(parent.reason)));
  const dispose = () => {
    cancelTimer();
    for (const forget of forgets) forget();
  };
  const end = (abortReason: unknown) => {
    dispose();
    if (ended !== undefined) return;
    ended = { reason: abortReason };
    controller?.abort(abortReason);
    for (const stop of racing) stop();
  };

  const aborted = parents.find((parent) => parent.aborted);
  if (aborted) end(aborted.reason);

  return {
    get signal() {
      return signal();
    },
    get expired() {
      return expired;
    },
    async race(work) {
      if (ended !== undefined) throw signal().reason;
      const { promise, reject } = Promise.withResolvers<never>();
      const stop = () => reject(signal().reason);
      racing.add(stop);
      try {
        return await Promise.race([work(), promise]);
      } finally {
        racing.delete(stop);
      }
    },
    remainingMs: () => Math.max(0, untilMs - clock.monotonicMs()),
    abort: end,
    restart(ms, reason) {
      if (ended === undefined) restart(ms, reason);
    },
    dispose,
  };
}
