import type { Clock } from "../../../../kit/clock.ts";

/** Cancels a call that is silent for too long: before the headers, and then between two chunks. */
export interface IdleWatch {
  /** Aborts if the silence is too long, or with the caller's reason if the caller aborts. */
  readonly signal: AbortSignal;
  readonly timedOut: boolean;
  /** Records that something arrived. Cheap enough for every chunk, because it resets no timer. */
  touch(): void;
  /** Releases the timer and the caller's listener. Unless the call `hasEnded`, cancels it. */
  stop(hasEnded?: boolean): void;
}

/**
 * Controllers of ended calls by their caller's signal, which they already follow. The calls of one run come one after the other, so one
 * controller serves all of them unless one is cancelled.
 */
export type SpareControllers = WeakMap<AbortSignal, AbortController>;

export function startIdleWatch(
  clock: Clock,
  idleMs: number,
  caller: AbortSignal,
  spares?: SpareControllers,
): IdleWatch {
  const spare = spares?.get(caller);
  spares?.delete(caller);
  const controller = spare ?? new AbortController();
  let lastMs = clock.monotonicMs();
  let timedOut = false;
  const giveUp = () => {
    timedOut = true;
    controller.abort();
  };
  // Uses one timer: if something arrived before it fires, it is set again for the remaining time.
  const check = () => {
    const leftMs = lastMs + idleMs - clock.monotonicMs();
    if (leftMs > 0) {
      cancelTimer = clock.timer(leftMs, check);
      return;
    }
    giveUp();
  };
  let cancelTimer = clock.timer(idleMs, check);
  const onAbort = () => controller.abort(caller.reason);
  if (caller.aborted) onAbort();
  else if (spare === undefined) caller.addEventListener("abort", onAbort);
  return {
    signal: controller.signal,
    get timedOut() {
      return timedOut;
    },
    touch() {
      lastMs = clock.monotonicMs();
    },
    stop(hasEnded = false) {
      cancelTimer();
      if (hasEnded && spares !== undefined && !controller.signal.aborted) {
        spares.set(caller, controller);
        return;
      }
      caller.removeEventListener("abort", onAbort);
      if (!hasEnded) controller.abort();
    },
  };
}
