import { Elysia } from "elysia";
import { MetricsReset, MetricsSnapshot } from "../../../contracts/daemon/metrics.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import type { DaemonMetrics } from "./daemon-metrics.ts";

/** `/metrics` for Prometheus, `/v1/metrics` for people, and the route that resets it. */
export const metricsRoutes = ({ metrics }: { metrics: DaemonMetrics }) =>
  new Elysia()
    .use(jsonRoutes())
    .get(
      "/metrics",
      async ({ set }) => {
        set.headers["content-type"] = metrics.registry.contentType;
        return metrics.registry.text();
      },
      {
        detail: {
          tags: ["metrics"],
          operationId: "scrapeMetrics",
          summary: "Returns metrics in the Prometheus text format",
        },
      },
    )
    .get("/v1/metrics", async () => metrics.rest.snapshot(), {
      response: MetricsSnapshot,
      detail: {
        tags: ["metrics"],
        operationId: "getMetrics",
        summary: "Returns counters and summaries since the last reset",
      },
    })
    .post(
      "/v1/metrics/reset",
      async () => {
        metrics.rest.reset();
        return { status: "reset" as const };
      },
      {
        response: MetricsReset,
        detail: {
          tags: ["metrics"],
          operationId: "resetMetrics",
          summary: "Resets the counters of GET /v1/metrics",
        },
      },
    );
