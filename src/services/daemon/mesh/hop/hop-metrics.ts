import { type MetricRegistry, metricsIn } from "../../../../kit/metrics.ts";

/** Counts the runs that nodes perform for each other. */
export interface HopMetrics {
  /** `outcome`: `ok`, `failed` (by the run), `cancelled`, `node_unreachable` or `node_lost`. */
  sent(outcome: string): void;
  received(outcome: "ok" | "failed"): void;
  /** A node failed before the first event, and another one got the run. */
  moved(): void;
}

export function createHopMetrics(registry: MetricRegistry): HopMetrics {
  const { counter } = metricsIn(registry);
  const sent = counter("platform_mesh_runs_sent_total", "Runs that other nodes performed for this one.", [
    "outcome",
  ]);
  const received = counter("platform_mesh_runs_received_total", "Runs that this node performed for others.", [
    "outcome",
  ]);
  const moved = counter(
    "platform_mesh_runs_moved_total",
    "Runs that a second node got because the first one failed before its first byte.",
  );
  return {
    sent: (outcome) => sent.of(outcome).inc(),
    received: (outcome) => received.of(outcome).inc(),
    moved: () => moved.of().inc(),
  };
}
