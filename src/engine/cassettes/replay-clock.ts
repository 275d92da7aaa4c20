import type { Clock } from "../../kit/clock.ts";

interface Timer {
  dueMs: number;
  fire: () => void;
}

/** Turns of the event loop in which nothing happens, after which nothing is taken to be at work. */
const idleTurns = 4;

/**
 * A clock that stands still while a run is at work, and jumps to its next timer when the run only waits: what waited for
 * minutes is replayed at once, and no deadline passes by the way.
 */
export class ReplayClock implements Clock {
  readonly #startedAt: Date;
  readonly #timers = new Set<Timer>();
  #elapsedMs = 0;

  constructor(startedAt: Date) {
    this.#startedAt = startedAt;
  }

  now(): Date {
    return new Date(this.#startedAt.getTime() + this.#elapsedMs);
  }

  monotonicMs(): number {
    return this.#elapsedMs;
  }

  timer(ms: number, fire: () => void): () => void {
    const timer = { dueMs: this.#elapsedMs + Math.max(0, ms), fire };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  }

  /** Moves the clock until `isOver`; `activity` gives another number whenever something has happened. */
  async run(isOver: () => boolean, activity: () => number): Promise<void> {
    let seen = activity();
    let idle = 0;
    while (!isOver()) {
      await new Promise<void>((resolve) => setImmediate(resolve));
      const now = activity();
      idle = now === seen ? idle + 1 : 0;
      seen = now;
      if (idle < idleTurns) continue;
      idle = 0;
      this.#fireNext();
    }
  }

  #fireNext(): void {
    let next: Timer | undefined;
    for (const timer of this.#timers) {
      if (next === undefined || timer.dueMs < next.dueMs) next = timer;
    }
    if (next === undefined) return;
    this.#timers.delete(next);
    this.#elapsedMs = Math.max(this.#elapsedMs, next.dueMs);
    next.fire();
  }
}
