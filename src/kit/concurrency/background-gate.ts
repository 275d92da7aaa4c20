import type { Clock } from "../clock.ts";
import { endOfTurn } from "./others-turn.ts";
import { OwnerLine } from "./owner-line.ts";

export interface BackgroundGateOptions {
  clock: Pick<Clock, "monotonicMs">;
  /** Resolves after a pass of the event loop. */
  turn?: () => Promise<void>;
}

/** A pass of the event loop that takes longer keeps requests waiting. */
const promptMs = 2;
/** Longest time between two entries while any work waits, so that a busy process still gets through its backlog. */
const patienceMs = 25;

/**
 * Lets background work begin while the event loop is prompt, so that a backlog doesn't delay the requests that arrive meanwhile. Work enters one
 * by one; owners take turns. It enters at once if none is inside; otherwise after a short pass of the event loop, or when `patienceMs` went by
 * since the last entry. Work that is inside goes on unhindered, so that work which only waits keeps nothing else out.
 */
export class BackgroundGate {
  readonly #clock: Pick<Clock, "monotonicMs">;
  readonly #turn: () => Promise<void>;
  readonly #waiting = new OwnerLine<() => void>();
  #inside = 0;
  #enteredAtMs = Number.NEGATIVE_INFINITY;
  #isOpening = false;

  constructor({ clock, turn = endOfTurn }: BackgroundGateOptions) {
    this.#clock = clock;
    this.#turn = turn;
  }

  /** Does the work when it may begin. Rejects with the signal's reason if the signal aborts before. */
  async run<T>(work: () => Promise<T>, signal: AbortSignal, owner = ""): Promise<T> {
    await this.#enter(signal, owner);
    try {
      return await work();
    } finally {
      this.#inside--;
    }
  }

  #enter(signal: AbortSignal, owner: string): Promise<void> {
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const onAbort = () => {
        this.#waiting.remove(owner, admit);
        reject(signal.reason);
      };
      const admit = () => {
        signal.removeEventListener("abort", onAbort);
        resolve();
      };
      signal.addEventListener("abort", onAbort, { once: true });
      this.#waiting.add(owner, admit);
      if (this.#isOpening) return;
      if (this.#inside === 0) this.#admitFirst();
      else void this.#open();
    });
  }

  /** Admits those who wait, until none waits. */
  async #open(): Promise<void> {
    this.#isOpening = true;
    while (!this.#waiting.isEmpty) {
      const begunMs = this.#clock.monotonicMs();
      await this.#turn();
      const nowMs = this.#clock.monotonicMs();
      const isPrompt = nowMs - begunMs <= promptMs;
      if (isPrompt || this.#inside === 0 || nowMs - this.#enteredAtMs >= patienceMs) this.#admitFirst();
    }
    this.#isOpening = false;
  }

  #admitFirst(): void {
    const first = this.#waiting.next();
    if (first === undefined) return;
    this.#inside++;
    this.#enteredAtMs = this.#clock.monotonicMs();
    first.one();
  }
}
