import { Counter, Gauge, Registry } from "prom-client";
import type { WorkerState } from "../../../kit/worker.ts";
import type { AdmissionVerdict } from "../runs/admission.ts";

/** What this process counts of runs, credits and background work. Labels name no tenant, agent or model. */
export interface PlatformMetrics {
  readonly registry: Registry;
  /** What the admission of a run came to. */
  admission(verdict: AdmissionVerdict): void;
  /** An admitted run has ended; `unrecorded` when its end could not be written. */
  runEnded(status: string, chargedMicros: number): void;
  /** Runs that the sweep closed because their process was gone. */
  runsSwept(count: number): void;
  /** What became of a billing period that was due. */
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
