import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { OrgUsageReport } from "../../../contracts/cloud/usage.ts";
import { storageUse } from "../../../control-plane/room/storage-use.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import { orgCredential } from "../access/credentials.ts";
import { readUsage, type UsageDeps } from "./read-usage.ts";

const daysDefault = 30;

const UsageQuery = Type.Object({
  days: Type.Optional(
    Type.String({
      pattern: "^0*([1-9]|[1-8][0-9]|90)$",
      maxLength: 10,
      description: "UTC days, today included: 1 to 90 (30).",
      fault: "must be a whole number from 1 to 90",
    }),
  ),
  by_day: Type.Optional(
    Type.Union([Type.Literal("true"), Type.Literal("false")], {
      description: "`true` adds each day of the period.",
    }),
  ),
  storage: Type.Optional(
    Type.Union([Type.Literal("true"), Type.Literal("false")], {
      description: "`true` adds what the org stores.",
    }),
  ),
});

/** Routes for an org's usage. */
export const usageRoutes = (deps: UsageDeps) =>
  new Elysia({ prefix: "/api/v1/orgs/:slug/usage" })
    .use(jsonRoutes())
    .use(orgCredential(deps))
    .get(
      "",
      async ({ actor, query }) => ({
        ...(await readUsage(deps, actor, Number(query.days ?? daysDefault), query.by_day === "true")),
        ...(query.storage === "true" && {
          storage: await storageUse(deps.storage, actor.org.id, actor.limits.max_storage_bytes ?? null),
        }),
      }),
      {
        query: UsageQuery,
        response: OrgUsageReport,
        detail: {
          tags: ["usage"],
          operationId: "readUsage",
          summary: "Runs, tokens and costs of the last days, by agent, model and key",
        },
      },
    );
