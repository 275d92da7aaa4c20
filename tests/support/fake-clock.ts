import type { Clock } from "../../src/kit/clock.ts";

interface Timer {
  dueMs: number;
  fire: () => void;
}

/** A clock that stands still until it is told to move: timers fire in the order in which they fall due. */
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

  /** Keeps time from moving on before `work` has ended: work over real sockets takes as long as the machine makes it. */
  holdUntil(work: Promise<unknown>): void {
    this.#held = Promise.all([this.#held, work.catch(() => undefined)]);
  }

  /** How many timers wait. */
  get pending(): number {
    return this.#timers.size;
  }

  /** Moves on by `ms`; what each timer sets going runs up to its next wait before the next timer fires. */
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

  /** The earliest timer due by `untilMs`; of two at one instant, the one that was set first. */
  #next(untilMs: number): Timer | undefined {
    let next: Timer | undefined;
    for (const timer of this.#timers) {
      if (timer.dueMs <= untilMs && (next === undefined || timer.dueMs < next.dueMs)) next = timer;
    }
    return next;
  }
}

/** Resolves when every microtask queued so far, and all those that they queue, have run. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
