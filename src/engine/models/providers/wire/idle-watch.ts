import type { Clock } from "../../../../kit/clock.ts";

/** Gives up on a call that shows no life: for the wait for headers, then for the silence between two chunks. */
export interface IdleWatch {
  /** Aborts when the silence is too long, or with the caller's reason when the caller aborts. */
  readonly signal: AbortSignal;
  readonly timedOut: boolean;
  /** Says that something arrived. Cheap enough for every chunk: it moves no timer. */
  touch(): void;
  /** Gives up in `ms`, whatever still arrives. */
  endWithin(ms: number): void;
  /** Forgets timer and caller; unless the call `hasEnded` by itself, it is ended. */
  stop(hasEnded?: boolean): void;
}

export function startIdleWatch(clock: Clock, idleMs: number, caller: AbortSignal): IdleWatch {
  const controller = new AbortController();
  let lastMs = clock.monotonicMs();
  let timedOut = false;
  const giveUp = () => {
    timedOut = true;
    controller.abort();
  };
  // One timer at a time: when it fires and something has arrived meanwhile, it is set again for what is left.
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
  else caller.addEventListener("abort", onAbort);
  return {
    signal: controller.signal,
    get timedOut() {
      return timedOut;
    },
    touch() {
      lastMs = clock.monotonicMs();
    },
    endWithin(ms) {
      cancelTimer();
      cancelTimer = clock.timer(ms, giveUp);
    },
    stop(hasEnded = false) {
      cancelTimer();
      caller.removeEventListener("abort", onAbort);
      if (!hasEnded) controller.abort();
    },
  };
}
