import { type Clock, sleep } from "../../kit/clock.ts";

/** Wakes the outbox's worker when a message was queued in this process. */
export class OutboxBell {
  readonly #clock: Clock;
  #rung = Promise.withResolvers<void>();
  #isRung = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  ring(): void {
    this.#isRung = true;
    this.#rung.resolve();
  }

  /** Resolves at the next ring, at once if there was one since the last wait, or after `ms`, or when the signal aborts. */
  async wait(ms: number, signal: AbortSignal): Promise<void> {
    if (!this.#isRung) {
      const over = new AbortController();
      await Promise.race([
        this.#rung.promise,
        sleep(this.#clock, ms, AbortSignal.any([signal, over.signal])).catch(() => undefined),
      ]);
      over.abort();
    }
    this.#isRung = false;
    this.#rung = Promise.withResolvers();
  }
}
