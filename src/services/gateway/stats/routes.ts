import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { GatewayStats } from "../../../contracts/gateway/admin.ts";
import { TenantId } from "../../../contracts/gateway/channels.ts";
import { pageLimit } from "../../../http/paging.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import type { Clock } from "../../../kit/clock.ts";
import { adminCredential } from "../auth/credentials.ts";
import type { GatewayStorage } from "../tables.ts";
import { readStats } from "./read-stats.ts";

/** The route with an operator's figures. */
export const statsRoutes = (
  { storage, clock, storageBytes }: { storage: GatewayStorage; clock: Clock; storageBytes: number },
  adminToken: string,
) =>
  new Elysia({ prefix: "/admin/stats" })
    .use(jsonRoutes())
    .use(adminCredential(adminToken))
    .get("", async ({ query }) => readStats(storage, { ...query, storageBytes, now: clock.now() }), {
      query: Type.Object({
        tenant: Type.Optional(TenantId),
        days: pageLimit({ default: 7, max: 90 }),
        storage: Type.Optional(
          Type.Union([Type.Literal("true"), Type.Literal("false")], {
            description: "`true` adds what the tenant stores in all services.",
          }),
        ),
      }),
      response: GatewayStats,
      detail: { tags: ["stats"], operationId: "getStats", summary: "Messages by day, channel and status" },
    });
