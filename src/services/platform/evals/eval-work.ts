import type { Clock } from "../../../kit/clock.ts";
import { sleep } from "../../../kit/clock.ts";
import type { Worker } from "../../../kit/worker.ts";
import { Registrations } from "../agents/registrations.ts";
import type { EvalDeps } from "./deps.ts";
import { claimEvalRun } from "./run-store.ts";
import type { EvalRunRow } from "./schema.ts";

/** Runs of evals that one process performs at the same time, each of another tenant. */
const atOnceMax = 4;
/** How often other processes' orders and the runs of dead processes are looked for. */
const everyMs = 5_000;

/** The runs of evals that this process performs. */
export class EvalWork {
  readonly #running = new Map<string, { run: EvalRunRow; cancel: AbortController }>();
  #wake = new AbortController();

  /** Makes the worker look for runs now. */
  wake(): void {
    this.#wake.abort();
  }

  /** Stops the cases under way of a run that has ended. */
  cancel(id: string): void {
    this.#running.get(id)?.cancel.abort();
  }

  /** Worker that performs runs until it is stopped. Those under way are then left to the next process. */
  worker(deps: EvalDeps): Worker {
    const registrations = new Registrations(deps);
    return {
      name: "eval-runs",
      run: async (signal, beat) => {
        const open = new Set<Promise<void>>();
        while (!signal.aborted) {
          this.#wake = new AbortController();
          while (open.size < atOnceMax) {
            const run = await claimEvalRun(
              deps,
              [...this.#running.values()].map((one) => one.run),
            );
            if (run === undefined) break;
            const work = this.#perform(deps, registrations, run, signal).finally(() => {
              open.delete(work);
              this.wake();
            });
            open.add(work);
          }
          beat?.();
          await pause(deps.clock, AbortSignal.any([signal, this.#wake.signal]));
        }
        await Promise.all(open);
      },
    };
  }

  async #perform(
    deps: EvalDeps,
    registrations: Registrations,
    run: EvalRunRow,
    stopped: AbortSignal,
  ): Promise<void> {
    const cancel = new AbortController();
    this.#running.set(run.id, { run, cancel });
    try {
      const { performEvalRun } = await import("./perform-eval-run.ts");
      await performEvalRun(deps, registrations, run, { stopped, cancelled: cancel.signal });
    } catch (thrown) {
      // The database is away: the run is still open, and a later round takes it again.
      deps.log.error("eval_run.failed", { run: run.id, err: thrown });
      await sleep(deps.clock, everyMs, stopped).catch(() => undefined);
    } finally {
      this.#running.delete(run.id);
    }
  }
}

const pause = (clock: Clock, until: AbortSignal) => sleep(clock, everyMs, until).catch(() => undefined);
