import type { Clock } from "../../src/kit/clock.ts";

/** A clock without delays: short timers fire at once and advance the time; longer ones never fire. */
export class HastyClock implements Clock {
  /** The short waits, in order. */
  readonly waits: number[] = [];
  readonly #shortMs: number;
  readonly #originMs = Date.parse("2026-01-01T00:00:00.000Z");
  #elapsedMs = 0;

  constructor(shortMs = 29_000) {
    this.#shortMs = shortMs;
  }

  now(): Date {
    return new Date(this.#originMs + this.#elapsedMs);
  }

  monotonicMs(): number {
    return this.#elapsedMs;
  }

  /** Advances the time. */
  skip(ms: number): void {
    this.#elapsedMs += ms;
  }

  timer(ms: number, fire: () => void): () => void {
    if (ms > this.#shortMs) return () => undefined;
    this.waits.push(ms);
    const dueMs = this.#elapsedMs + ms;
    const handle = setImmediate(() => {
      this.#elapsedMs = Math.max(this.#elapsedMs, dueMs);
      fire();
    });
    return () => clearImmediate(handle);
  }
}
