import { Counter, Gauge, Registry } from "prom-client";
import type { WorkerState } from "../../../kit/worker.ts";

type Admission = { kind: "admitted" | "replay" } | { kind: "rejected"; refusal: { code: string } };

/** Metrics of this process's runs, credits and background work. No label contains a tenant, agent or model. */
export interface PlatformMetrics {
  readonly registry: Registry;
  /** Records the result of an admission. */
  admission(verdict: Admission): void;
  /** Records the end of an admitted run; `unrecorded` if its end could not be written. */
  runEnded(status: string, chargedMicros: number): void;
  /** Records runs that the sweep closed because their process had ended. */
  runsSwept(count: number): void;
  /** Records the result of closing a due period. */
  periodClosed(outcome: "closed" | "failed"): void;
}

export function createPlatformMetrics(workers: () => readonly WorkerState[]): PlatformMetrics {
  const registry = new Registry();
  const registers = [registry];
  const runs = new Counter({
    name: "platform_invocations_total",
    help: "Admitted runs that ended, by how they ended.",
    labelNames: ["status"],
    registers,
  });
  const inFlight = new Gauge({
    name: "platform_invocations_in_flight",
    help: "Admitted runs that this process is performing.",
    registers,
  });
  const refusals = new Counter({
    name: "platform_admission_refusals_total",
    help: "Runs that admission refused, by the code of the refusal.",
    labelNames: ["code"],
    registers,
  });
  const charged = new Counter({
    name: "platform_credits_charged_micros_total",
    help: "Credits charged for runs, in millionths of a credit.",
    registers,
  });
  const swept = new Counter({
    name: "platform_invocations_swept_total",
    help: "Runs that the sweep closed as interrupted.",
    registers,
  });
  const periods = new Counter({
    name: "platform_billing_periods_total",
    help: "Billing periods that the closing job took up, by outcome.",
    labelNames: ["outcome"],
    registers,
  });
  new Gauge({
    name: "platform_worker_failures",
    help: "How often each background worker of this process ended before it was told to.",
    labelNames: ["worker"],
    registers,
    collect() {
      for (const { name, failures } of workers()) this.set({ worker: name }, failures);
    },
  });
  new Gauge({
    name: "platform_worker_running",
    help: "1 while a background worker of this process runs, otherwise 0.",
    labelNames: ["worker"],
    registers,
    collect() {
      for (const { name, status } of workers()) this.set({ worker: name }, status === "running" ? 1 : 0);
    },
  });
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
    runsSwept: (count) => swept.inc(count),
    periodClosed: (outcome) => periods.inc({ outcome }),
  };
}
