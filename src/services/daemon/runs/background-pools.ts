import type { RunSource } from "../../../contracts/daemon/runs/run-sources.ts";
import { AdmissionGate } from "../../../kit/concurrency/admission-gate.ts";
import { type MetricRegistry, metricsIn } from "../../../kit/metrics.ts";

/** Work of one kind that may go on at once, and what waits for it. */
export interface PoolDepths {
  inFlight: number;
  waiting: number;
}

/**
 * Places for work that nobody waits for. Each kind has its own, so that much of one kind keeps neither the others nor the runs of callers
 * from theirs.
 */
export class BackgroundPools {
  readonly #evals: AdmissionGate;
  readonly #depths = new Map<string, () => PoolDepths>();

  constructor({ evalRuns, waitingMax }: { evalRuns: number; waitingMax: number }) {
    this.#evals = new AdmissionGate({ inFlightMax: evalRuns, waitingMax });
    this.watch("evals", () => this.#evals);
  }

  /**
   * Takes a place in the pool of the run's kind. Undefined for a run that has none: it only needs a place among all runs. Rejects with
   * `too_busy` and with the signal's reason as `AdmissionGate.enter` does.
   */
  enter(source: RunSource | undefined, signal: () => AbortSignal | undefined, owner?: string) {
    return source === "eval" ? this.#evals.enter(signal(), owner) : undefined;
  }

  /** Shows a further pool in the metrics. */
  watch(pool: string, depths: () => PoolDepths): void {
    this.#depths.set(pool, depths);
  }

  show(registry: MetricRegistry): void {
    const { gauge } = metricsIn(registry);
    const show = (name: string, help: string, of: (depths: PoolDepths) => number) =>
      gauge(name, help, ["pool"], (shown) => {
        for (const [pool, depths] of this.#depths) shown.of(pool).set(of(depths()));
      });
    show(
      "platform_background_in_work",
      "Runs of evals, runs of triggers and ingests that go on.",
      ({ inFlight }) => inFlight,
    );
    show(
      "platform_background_waiting",
      "Runs of evals and ingests that wait for a place in their pool.",
      ({ waiting }) => waiting,
    );
  }
}
