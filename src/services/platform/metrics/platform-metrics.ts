import { MetricRegistry, metricsIn } from "../../../kit/metrics.ts";
import type { WorkerState } from "../../../kit/worker.ts";

type Admission = { kind: "admitted" | "replay" } | { kind: "rejected"; refusal: { code: string } };

/** Metrics of this process's runs, credits and background work. No label contains a tenant, agent or model. */
export interface PlatformMetrics {
  readonly registry: MetricRegistry;
  /** Records the result of an admission. */
  admission(verdict: Admission): void;
  /** Records the end of an admitted run; `unrecorded` if its end could not be written. */
  runEnded(status: string, chargedMicros: number): void;
  /** Records runs that the sweep closed because their process had ended. */
  runsSwept(count: number): void;
  /** Records a run that this process continues. */
  runContinued(): void;
  /** Records the result of closing a due period. */
  periodClosed(outcome: "closed" | "failed"): void;
}

export function createPlatformMetrics(workers: () => readonly WorkerState[]): PlatformMetrics {
  const registry = new MetricRegistry();
  const { counter, gauge } = metricsIn(registry);
  const runs = counter("platform_invocations_total", "Admitted runs that ended, by how they ended.", [
    "status",
  ]);
  const inFlight = gauge("platform_invocations_in_flight", "Admitted runs that this process is performing.");
  const refusals = counter(
    "platform_admission_refusals_total",
    "Runs that admission refused, by the code of the refusal.",
    ["code"],
  );
  const charged = counter(
    "platform_credits_charged_micros_total",
    "Credits charged for runs, in millionths of a credit.",
  );
  const swept = counter("platform_invocations_swept_total", "Runs that the sweep closed as interrupted.");
  const continued = counter(
    "platform_invocations_continued_total",
    "Runs that this process continued after the death of the process before.",
  );
  const periods = counter(
    "platform_billing_periods_total",
    "Billing periods that the closing job took up, by outcome.",
    ["outcome"],
  );
  gauge(
    "platform_worker_failures",
    "How often each background worker of this process ended before it was told to.",
    ["worker"],
    (gauge) => {
      for (const { name, failures } of workers()) gauge.set({ worker: name }, failures);
    },
  );
  gauge(
    "platform_worker_running",
    "1 while a background worker of this process runs, otherwise 0.",
    ["worker"],
    (gauge) => {
      for (const { name, status } of workers()) gauge.set({ worker: name }, status === "running" ? 1 : 0);
    },
  );
  return {
    registry,
    admission(verdict) {
      if (verdict.kind === "admitted") inFlight.inc();
      if (verdict.kind === "rejected") refusals.inc({ code: verdict.refusal.code });
    },
    runEnded(status, chargedMicros) {
      inFlight.dec();
      runs.inc({ status });
      if (chargedMicros > 0) charged.inc(chargedMicros);
    },
    runContinued: () => continued.inc(),
    runsSwept: (count) => swept.inc(count),
    periodClosed: (outcome) => periods.inc({ outcome }),
  };
}
