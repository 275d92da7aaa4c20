import type { Clock } from "../../../kit/clock.ts";
import { endOfTurn } from "../../../kit/concurrency/others-turn.ts";

interface Timer {
  dueMs: number;
  fire: () => void;
}

/** Idle turns of the event loop after which the run is taken to be waiting. */
const idleTurns = 4;

/**
 * A clock that stops while a run works and jumps to its next timer while the run only waits. Waits of minutes take no time in a replay, and
 * no deadline passes in between.
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

  /** Advances the clock until `isOver` returns true. `activity` returns another number whenever something has happened. */
  async run(isOver: () => boolean, activity: () => number): Promise<void> {
    let seen = activity();
    let idle = 0;
    while (!isOver()) {
      await endOfTurn();
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
