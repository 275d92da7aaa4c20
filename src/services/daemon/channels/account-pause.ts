import type { Clock } from "../../../kit/clock.ts";

export interface AccountPauseState {
  /** The provider's error. */
  code: string;
  since: Date;
}

/** How long the account rests after the first error, the second, …; the last one repeats. */
const restsMs = [60_000, 120_000, 300_000, 900_000];

interface Pause extends AccountPauseState {
  errors: number;
  /** When the next may try, by the monotonic clock. */
  untilMs: number;
}

/**
 * Whether an account may be used. An error of the account (a token that expired, a bill that is due) pauses it for all; then
 * one message at a time tries it, after rests that grow, until the provider takes one.
 */
export class AccountPause {
  readonly #clock: Clock;
  #pause: Pause | undefined;
  /** The message that tries, or will try first because its answer is ready. */
  #trying: string | undefined;
  #changed = Promise.withResolvers<void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Undefined while the account may be used. */
  get state(): AccountPauseState | undefined {
    return this.#pause && { code: this.#pause.code, since: this.#pause.since };
  }

  /**
   * Resolves with true when the message may use the account, with false when that is not so by `deadlineMs` of the monotonic
   * clock. Rejects with the signal's reason. Whoever was let in calls `leave` in the end.
   */
  async enter(message: string, signal: AbortSignal, deadlineMs = Number.POSITIVE_INFINITY): Promise<boolean> {
    for (;;) {
      signal.throwIfAborted();
      const pause = this.#pause;
      if (pause === undefined) return true;
      const nowMs = this.#clock.monotonicMs();
      const isNext = this.#trying === undefined || this.#trying === message;
      if (isNext && nowMs >= pause.untilMs) {
        this.#trying = message;
        return true;
      }
      if (nowMs >= deadlineMs) return false;
      await this.#wait(Math.min(deadlineMs, isNext ? pause.untilMs : deadlineMs) - nowMs, signal);
    }
  }

  /** The provider refused a message because of the account; answers whether that is news. */
  failed(message: string, code: string): boolean {
    const before = this.#pause;
    // Others may have been on their way when the pause began: their errors say nothing new.
    if (before !== undefined && this.#trying !== undefined && this.#trying !== message) return false;
    const errors = (before?.errors ?? 0) + 1;
    const restMs = restsMs[Math.min(errors, restsMs.length) - 1] ?? 0;
    this.#trying = message;
    this.#pause = {
      code,
      since: before?.since ?? this.#clock.now(),
      errors,
      untilMs: this.#clock.monotonicMs() + restMs,
    };
    this.#announce();
    return before === undefined;
  }

  /** The provider took a message; answers whether that ended a pause. */
  worked(): boolean {
    if (this.#pause === undefined) return false;
    this.#pause = undefined;
    this.#trying = undefined;
    this.#announce();
    return true;
  }

  /** The message is over: another may try. */
  leave(message: string): void {
    if (this.#trying !== message) return;
    this.#trying = undefined;
    this.#announce();
  }

  #announce(): void {
    const { resolve } = this.#changed;
    this.#changed = Promise.withResolvers();
    resolve();
  }

  /** Resolves when something has changed or `ms` are over; rejects when the signal aborts. */
  #wait(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const cancel = Number.isFinite(ms) ? this.#clock.timer(ms, () => end(resolve)) : () => {};
      const onAbort = () => end(() => reject(signal.reason));
      const end = (settle: () => void) => {
        cancel();
        signal.removeEventListener("abort", onAbort);
        settle();
      };
      signal.addEventListener("abort", onAbort, { once: true });
      void this.#changed.promise.then(() => end(resolve));
    });
  }
}
