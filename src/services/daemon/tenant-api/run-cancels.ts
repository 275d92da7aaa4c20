import { AppError } from "../../../kit/app-error.ts";
import { ToldController } from "../../../kit/concurrency/on-abort.ts";

/** Maximum number of cancellations kept for runs that have not begun. */
const earlyMax = 1024;

/** Running requests by id, for cancellation. */
export class RunCancels {
  readonly #running = new Map<string, ToldController>();
  readonly #early = new Set<string>();

  /**
   * Registers a run; returns its abort signal and a function to call at its end. Throws AppError `run_exists` if a run with this id is in
   * progress.
   */
  enter(runId: string): { signal: AbortSignal; leave: () => void } {
    if (this.#running.has(runId)) {
      throw new AppError("conflict", "run_exists", "A run with this id is in progress.");
    }
    const controller = new ToldController();
    if (this.#early.delete(runId)) controller.abort(runCancelled());
    this.#running.set(runId, controller);
    return { signal: controller.signal, leave: () => void this.#running.delete(runId) };
  }

  /** Cancels the run. If it has not begun yet, it is cancelled when it begins. */
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
