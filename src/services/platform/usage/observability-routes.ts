import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { Trace } from "../../../contracts/daemon/runs/run.ts";
import { attributionQuery, UsageAttribution } from "../../../contracts/platform/attribution.ts";
import { Month } from "../../../contracts/platform/billing/fields.ts";
import {
  AgentInvocations,
  AgentMetrics,
  DailyUsage,
  InvocationDetail,
  qualityQuery,
  TenantInvocations,
  textsQuery,
  UsageReport,
} from "../../../contracts/platform/observability.ts";
import { askedTracesMax } from "../../../contracts/runtime/runs.ts";
import { idCursor, pageLimit } from "../../../http/paging.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import { monthOf } from "../../../kit/utc-calendar.ts";
import { tenantCredential } from "../auth/credentials.ts";
import type { CredentialDeps } from "../auth/deps.ts";
import { asAttribution } from "./answer-attribution.ts";
import { type ListDeps, listAgentInvocations, listTenantInvocations } from "./list-invocations.ts";
import { getAgentInvocation, readAgentMetrics } from "./observe-agent.ts";
import { readAttribution } from "./read-attribution.ts";
import { readDailyUsage } from "./read-daily-usage.ts";
import { readRunTrace, type TraceDeps } from "./read-run-trace.ts";
import { readUsage } from "./read-usage.ts";

const tags = ["observability"];

const InvocationsQuery = Type.Object({
  limit: pageLimit({ default: 50, max: askedTracesMax }),
  cursor: idCursor,
  ...qualityQuery,
  ...textsQuery,
});
const PeriodQuery = Type.Object({ period: Type.Optional(Month) });

/** Routes for the runs and usage of a tenant's agents, including deleted agents. */
export const observabilityRoutes = (deps: CredentialDeps & TraceDeps & ListDeps) =>
  new Elysia({ prefix: "/api/v1" })
    .use(jsonRoutes())
    .use(tenantCredential(deps, "read"))
    .get(
      "/agents/:name/status",
      async ({ tenant, params, query }) => listAgentInvocations(deps, tenant, params.name, query),
      {
        query: InvocationsQuery,
        response: AgentInvocations,
        detail: { tags, operationId: "getAgentStatus", summary: "Lists an agent's runs, newest first" },
      },
    )
    .get(
      "/agents/:name/logs",
      async ({ tenant, params, query }) => listAgentInvocations(deps, tenant, params.name, query),
      {
        query: InvocationsQuery,
        response: AgentInvocations,
        detail: {
          tags,
          operationId: "getAgentLogs",
          summary: "Lists the agent's recent runs, as its status does",
        },
      },
    )
    .get(
      "/agents/:name/metrics",
      async ({ tenant, params, query }) =>
        readAgentMetrics(deps, tenant, params.name, query.period ?? monthOf(deps.clock.now())),
      {
        query: PeriodQuery,
        response: AgentMetrics,
        detail: {
          tags,
          operationId: "getAgentMetrics",
          summary: "Returns an agent's usage of a month and of all time",
        },
      },
    )
    .get(
      "/agents/:name/invocations/:id",
      async ({ tenant, params }) => getAgentInvocation(deps, tenant, params.name, params.id),
      {
        response: InvocationDetail,
        detail: { tags, operationId: "getInvocation", summary: "Returns a run with usage by model" },
      },
    )
    .get(
      "/agents/:name/invocations/:id/trace",
      async ({ tenant, params }) => readRunTrace(deps, tenant, params.name, params.id),
      {
        response: Trace,
        detail: {
          tags,
          operationId: "getInvocationTrace",
          summary: "Returns the steps of a run, while its trace is kept",
        },
      },
    )
    .get("/invocations", async ({ tenant, query }) => listTenantInvocations(deps, tenant, query), {
      query: InvocationsQuery,
      response: TenantInvocations,
      detail: { tags, operationId: "listOwnInvocations", summary: "Lists runs of all agents, newest first" },
    })
    .get(
      "/usage",
      async ({ tenant, query }) => readUsage(deps, tenant, query.period ?? monthOf(deps.clock.now())),
      {
        query: PeriodQuery,
        response: UsageReport,
        detail: {
          tags,
          operationId: "getUsage",
          summary: "Returns the tenant's usage of a month and of all time, with a ranking of agents",
        },
      },
    )
    .get(
      "/usage/days",
      async ({ tenant, query }) => readDailyUsage(deps, tenant, query.period ?? monthOf(deps.clock.now())),
      {
        query: PeriodQuery,
        response: DailyUsage,
        detail: {
          tags,
          operationId: "getDailyUsage",
          summary: "Returns the tenant's daily usage of a month by agent and model",
        },
      },
    )
    .get(
      "/usage/attribution",
      async ({ tenant: { tenantId }, query: { by, format, period = monthOf(deps.clock.now()) } }) =>
        asAttribution(await readAttribution(deps.storage, { by, period, tenantId }), format),
      {
        query: Type.Object(attributionQuery),
        response: UsageAttribution,
        detail: {
          tags,
          operationId: "getUsageAttribution",
          summary: "Splits the tenant's usage of a month by key, member or model",
          description: "With `format=csv`, a table with a line for each.",
        },
      },
    );
