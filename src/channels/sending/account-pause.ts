import type { Clock } from "../../kit/clock.ts";

export interface AccountPauseState {
  /** The provider's error. */
  code: string;
  since: Date;
}

/** Pauses after the first error, the second, and so on; the last one repeats. */
const restsMs = [60_000, 120_000, 300_000, 900_000];

interface Pause extends AccountPauseState {
  errors: number;
  /** Time of the next attempt on the monotonic clock. */
  untilMs: number;
}

/**
 * Pauses a provider account after an error of the account itself, such as an expired token or an unpaid bill. During the pause, one message
 * at a time tries the account, after growing delays, until the provider accepts one.
 */
export class AccountPause {
  readonly #clock: Clock;
  #pause: Pause | undefined;
  /** Message that is trying, or that tries first because its answer is ready. */
  #trying: string | undefined;
  #changed = Promise.withResolvers<void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Undefined while the account works. */
  get state(): AccountPauseState | undefined {
    return this.#pause && { code: this.#pause.code, since: this.#pause.since };
  }

  /**
   * Resolves with true when the message may use the account, or with false at `deadlineMs` on the monotonic clock. Rejects with the
   * signal's reason. A message that was let in must call `leave` at the end.
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

  /** Records that the provider refused a message because of the account. Returns true if this starts a pause. */
  failed(message: string, code: string): boolean {
    const before = this.#pause;
    // Messages already on their way when the pause began may fail too. Their errors are not counted.
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

  /** Records that the provider accepted a message. Returns true if this ends a pause. */
  worked(): boolean {
    if (this.#pause === undefined) return false;
    this.#pause = undefined;
    this.#trying = undefined;
    this.#announce();
    return true;
  }

  /** Ends a message's turn, so another one may try. */
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

  /** Resolves on a change or after `ms`; rejects when the signal aborts. */
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
