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
  return new RunningWatch(clock, idleMs, caller, spares);
}

/** A class, because every model call has one: closures for each would cost more than all they do. */
class RunningWatch implements IdleWatch, EventListenerObject {
  timedOut = false;
  readonly signal: AbortSignal;
  readonly #controller: AbortController;
  readonly #clock: Clock;
  readonly #idleMs: number;
  readonly #caller: AbortSignal;
  readonly #spares: SpareControllers | undefined;
  #lastMs: number;
  #cancelTimer: (() => void) | undefined;

  constructor(clock: Clock, idleMs: number, caller: AbortSignal, spares: SpareControllers | undefined) {
    const spare = spares?.get(caller);
    spares?.delete(caller);
    this.#controller = spare ?? new AbortController();
    this.signal = this.#controller.signal;
    this.#clock = clock;
    this.#idleMs = idleMs;
    this.#caller = caller;
    this.#spares = spares;
    this.#lastMs = clock.monotonicMs();
    this.#setTimer(idleMs);
    if (caller.aborted) this.handleEvent();
    else if (spare === undefined) caller.addEventListener("abort", this);
  }

  /** The caller aborts. */
  handleEvent(): void {
    this.#controller.abort(this.#caller.reason);
  }

  touch(): void {
    this.#lastMs = this.#clock.monotonicMs();
  }

  stop(hasEnded = false): void {
    this.#cancelTimer?.();
    if (hasEnded && this.#spares !== undefined && !this.signal.aborted) {
      this.#spares.set(this.#caller, this.#controller);
      return;
    }
    this.#caller.removeEventListener("abort", this);
    if (!hasEnded) this.#controller.abort();
  }

  /** One timer: if something arrived before it fires, it is set again for the remaining time. */
  #setTimer(ms: number): void {
    this.#cancelTimer = this.#clock.timer(ms, () => {
      const leftMs = this.#lastMs + this.#idleMs - this.#clock.monotonicMs();
      if (leftMs > 0) return this.#setTimer(leftMs);
      this.timedOut = true;
      this.#controller.abort();
    });
  }
}
