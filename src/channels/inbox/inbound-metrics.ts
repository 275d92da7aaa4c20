import { type MetricRegistry, metricsIn } from "../../kit/metrics.ts";
import type { InboundDepth } from "./inbound-depth.ts";

/** Metrics of what comes in. No label contains a tenant, account or sender. */
export interface InboundMetrics {
  delivered(channel: string, outcome: "accepted" | "full" | "forged" | "unreadable"): void;
  /** Counts parts of deliveries that nothing is done with. */
  ignored(channel: string, reason: string, count?: number): void;
  stored(channel: string, added: number, repeated: number): void;
  /** Counts an event whose processing ended. */
  closed(channel: string, outcome: string): void;
  /** Records how full the queue is, for the next scrape. */
  seen(depth: InboundDepth): void;
}

export function createInboundMetrics(registry: MetricRegistry): InboundMetrics {
  const { counter, gauge } = metricsIn(registry);
  const labels = ["channel", "outcome"] as const;
  const deliveries = counter(
    "gateway_deliveries_total",
    "Deliveries of providers, by channel and outcome.",
    labels,
  );
  const events = counter(
    "gateway_inbound_events_total",
    "Events of deliveries, by channel and outcome.",
    labels,
  );
  const depth = gauge("gateway_inbound_events", "Open events of deliveries, by state.", ["state"]);
  const oldest = gauge(
    "gateway_inbound_oldest_seconds",
    "Age of the oldest open event of a delivery, 0 if there is none.",
  );
  const add = (channel: string, outcome: string, count: number) => {
    if (count > 0) events.inc({ channel, outcome }, count);
  };
  return {
    delivered: (channel, outcome) => deliveries.inc({ channel, outcome }),
    ignored: (channel, reason, count = 1) => add(channel, `ignored_${reason}`, count),
    stored(channel, added, repeated) {
      add(channel, "queued", added);
      add(channel, "repeated", repeated);
    },
    closed: (channel, outcome) => add(channel, outcome, 1),
    seen({ waiting, working, parked, oldestMs }) {
      depth.set({ state: "waiting" }, waiting);
      depth.set({ state: "working" }, working);
      depth.set({ state: "parked" }, parked);
      oldest.set(oldestMs / 1000);
    },
  };
}
