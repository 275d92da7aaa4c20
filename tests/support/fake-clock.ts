import type { Clock } from "../../src/kit/clock.ts";

interface Timer {
  dueMs: number;
  fire: () => void;
}

/** A clock that moves only when a test advances it. Timers fire in the order of their due times. */
export class FakeClock implements Clock {
  readonly #originMs: number;
  readonly #timers = new Set<Timer>();
  #elapsedMs = 0;
  #held: Promise<unknown> = Promise.resolve();

  constructor(startAt = "2026-01-01T00:00:00.000Z") {
    this.#originMs = Date.parse(startAt);
  }

  now(): Date {
    return new Date(this.#originMs + this.#elapsedMs);
  }

  monotonicMs(): number {
    return this.#elapsedMs;
  }

  timer(ms: number, fire: () => void): () => void {
    const timer = { dueMs: this.#elapsedMs + Math.max(0, ms), fire };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  }

  /** Keeps the clock from moving before `work` has ended: work over real sockets takes an unknown time. */
  holdUntil(work: Promise<unknown>): void {
    this.#held = Promise.all([this.#held, work.catch(() => undefined)]);
  }

  /** Number of pending timers. */
  get pending(): number {
    return this.#timers.size;
  }

  /** Advances by `ms`. The work that each timer starts runs up to its next wait before the next timer fires. */
  async advance(ms: number): Promise<void> {
    await this.#held;
    const untilMs = this.#elapsedMs + ms;
    await settle();
    for (let timer = this.#next(untilMs); timer; timer = this.#next(untilMs)) {
      this.#timers.delete(timer);
      this.#elapsedMs = timer.dueMs;
      timer.fire();
      await settle();
    }
    this.#elapsedMs = untilMs;
  }

  /** Returns the earliest timer due by `untilMs`; of two at one instant, the one that was set first. */
  #next(untilMs: number): Timer | undefined {
    let next: Timer | undefined;
    for (const timer of this.#timers) {
      if (timer.dueMs <= untilMs && (next === undefined || timer.dueMs < next.dueMs)) next = timer;
    }
    return next;
  }
}

/** Resolves when every queued microtask, and all those that they queue, have run. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
