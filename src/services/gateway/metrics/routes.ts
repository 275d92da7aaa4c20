import { Elysia } from "elysia";
import { readInboundDepth } from "../../../channels/inbox/inbound-depth.ts";
import type { InboundMetrics } from "../../../channels/inbox/inbound-metrics.ts";
import { readOutboxDepth } from "../../../channels/outbox/outbox-depth.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import type { Clock } from "../../../kit/clock.ts";
import { adminCredential } from "../auth/credentials.ts";
import type { GatewayStorage } from "../tables.ts";
import type { GatewayMetrics } from "./gateway-metrics.ts";

export interface MetricsPorts {
  storage: GatewayStorage;
  clock: Clock;
  metrics: GatewayMetrics;
  inboundMetrics: InboundMetrics;
}

/** `/admin/metrics` for Prometheus, for operators only, because the figures include all tenants. */
export const metricsRoutes = (
  { storage, clock, metrics, inboundMetrics }: MetricsPorts,
  adminToken: string,
) =>
  new Elysia({ prefix: "/admin/metrics" })
    .use(jsonRoutes())
    .use(adminCredential(adminToken))
    .get(
      "",
      async ({ set }) => {
        metrics.outboxSeen(await readOutboxDepth(storage, clock.now()));
        inboundMetrics.seen(await readInboundDepth(storage, clock.now()));
        set.headers["content-type"] = metrics.registry.contentType;
        return metrics.registry.text();
      },
      {
        detail: {
          tags: ["operators"],
          operationId: "scrapeGatewayMetrics",
          summary: "Metrics in the Prometheus text format",
        },
      },
    );
