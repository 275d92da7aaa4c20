import type { Clock } from "../kit/clock.ts";
import { sleep } from "../kit/clock.ts";
import type { Worker } from "../kit/worker.ts";

const pulseMs = 250;
/** Lateness of a pulse that counts as a pause of the process. */
const pauseMs = 1_000;
/** Time after a pause in which messages from before it may still be read. */
const settleMs = 250;

/**
 * Notices that the process was stopped for a while, or that its thread was busy for as long. Messages that are read after a pause may be
 * older than their sender's patience: it has given them up and asked another node.
 */
export class PauseWatch {
  readonly #clock: Clock;
  #pulseAt: number;
  #resumedAt = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#pulseAt = clock.monotonicMs();
  }

  /** True right after a pause. */
  get hasJustResumed(): boolean {
    const now = this.#clock.monotonicMs();
    return now - this.#pulseAt > pulseMs + pauseMs || now - this.#resumedAt < settleMs;
  }

  worker(): Worker {
    return {
      name: "mesh-pauses",
      run: async (signal) => {
        this.#pulseAt = this.#clock.monotonicMs();
        while (!signal.aborted) {
          await sleep(this.#clock, pulseMs, signal).catch(() => undefined);
          const now = this.#clock.monotonicMs();
          if (now - this.#pulseAt > pulseMs + pauseMs) this.#resumedAt = now;
          this.#pulseAt = now;
        }
      },
    };
  }
}
