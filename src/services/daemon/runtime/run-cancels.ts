import { AppError } from "../../../kit/app-error.ts";

/** A cancellation may come before its run; so many are remembered. */
const earlyMax = 1024;

/** The runs under way, to be cancelled by their ids. */
export class RunCancels {
  readonly #running = new Map<string, AbortController>();
  readonly #early = new Set<string>();

  /** A signal for the run, and how to say that it is over. Throws AppError `run_exists` when one with this id is under way. */
  enter(runId: string): { signal: AbortSignal; leave: () => void } {
    if (this.#running.has(runId)) {
      throw new AppError("conflict", "run_exists", "A run with this id is under way.");
    }
    const controller = new AbortController();
    if (this.#early.delete(runId)) controller.abort(runCancelled());
    this.#running.set(runId, controller);
    return { signal: controller.signal, leave: () => void this.#running.delete(runId) };
  }

  /** Ends the run; one that is not there yet ends when it comes. */
  cancel(runId: string): void {
    const running = this.#running.get(runId);
    if (running !== undefined) {
      running.abort(runCancelled());
      return;
    }
    for (const oldest of this.#early) {
      if (this.#early.size < earlyMax) break;
      this.#early.delete(oldest);
    }
    this.#early.add(runId);
  }
}

const runCancelled = () => new AppError("unavailable", "run_cancelled", "The run was cancelled.");
