import { toAppError } from "../../../../kit/app-error.ts";
import { type Clock, sleep } from "../../../../kit/clock.ts";
import type { Logger } from "../../../../kit/log.ts";
import type { Worker } from "../../../../kit/worker.ts";

/** Writes the end of a run; rejects as the storage does. */
type WriteEnd = () => Promise<unknown>;

const againMs = 500;

/**
 * The ends of runs that the storage could not take. They stay in memory while this process lives, and are written, with their
 * charge, as soon as the storage takes them. Of a process that dies the sweep ends these runs, uncharged. Nothing is admitted
 * without the storage, so there are never more of them than runs in flight.
 */
export class UnsettledRuns {
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #ends = new Map<string, WriteEnd>();
  #writing: Promise<boolean> | undefined;
  #wake = () => {};

  constructor(clock: Clock, log: Logger) {
    this.#clock = clock;
    this.#log = log;
  }

  get count(): number {
    return this.#ends.size;
  }

  keep(invocationId: string, write: WriteEnd): void {
    this.#ends.set(invocationId, write);
    this.#log.warn("run.unsettled", { invocation_id: invocationId, unsettled: this.#ends.size });
    this.#wake();
  }

  /** Writes what is left, and resolves to whether nothing is left any more. */
  flush(): Promise<boolean> {
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined;
    });
    return this.#writing;
  }

  worker(): Worker {
    return {
      name: "unsettled-runs",
      run: async (signal) => {
        while (!signal.aborted) {
          // It waits without end while there is nothing to write.
          if (await this.flush()) await this.#kept(signal);
          else await sleep(this.#clock, againMs, signal).catch(() => undefined);
        }
      },
    };
  }

  async #write(): Promise<boolean> {
    for (const [invocationId, write] of this.#ends) {
      try {
        await write();
        this.#log.info("run.settled_late", { invocation_id: invocationId });
      } catch (thrown) {
        if (toAppError(thrown).kind === "unavailable") return false;
        // No later attempt can do better: the sweep ends this run.
        this.#log.error("run.settlement_failed", { invocation_id: invocationId, err: thrown });
      }
      this.#ends.delete(invocationId);
    }
    return true;
  }

  /** Resolves when there is something to write, or the signal aborts. */
  #kept(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (this.#ends.size > 0 || signal.aborted) return resolve();
      this.#wake = resolve;
      signal.addEventListener("abort", () => resolve(), { once: true });
    });
  }
}
