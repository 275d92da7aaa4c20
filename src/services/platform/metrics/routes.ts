import { Elysia } from "elysia";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import { operatorCredential } from "../auth/credentials.ts";
import type { CredentialDeps } from "../auth/deps.ts";
import type { PlatformMetrics } from "./platform-metrics.ts";

/** `/metrics` for Prometheus, for operators only, because the figures include all tenants. */
export const metricsRoutes = (deps: CredentialDeps & { metrics: Pick<PlatformMetrics, "registry"> }) =>
  new Elysia()
    .use(jsonRoutes())
    .use(operatorCredential(deps))
    .get(
      "/metrics",
      async ({ set }) => {
        set.headers["content-type"] = deps.metrics.registry.contentType;
        return deps.metrics.registry.text();
      },
      {
        detail: {
          tags: ["operators"],
          operationId: "scrapePlatformMetrics",
          summary: "Returns metrics in the Prometheus text format",
        },
      },
    );
