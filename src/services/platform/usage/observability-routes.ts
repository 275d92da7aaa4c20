import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { Month } from "../../../contracts/platform/billing/micros.ts";
import {
  AgentInvocations,
  AgentMetrics,
  DailyUsage,
  InvocationDetail,
  TenantInvocations,
  UsageReport,
} from "../../../contracts/platform/observability.ts";
import { idCursor, pageLimit } from "../../../http/paging.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import { tenantCredential } from "../auth/credentials.ts";
import { monthOf } from "../billing/utc-calendar.ts";
import type { PlatformDeps } from "../deps.ts";
import { listTenantInvocations } from "./list-tenant-invocations.ts";
import { getAgentInvocation, listAgentInvocations, readAgentMetrics } from "./observe-agent.ts";
import { readDailyUsage } from "./read-daily-usage.ts";
import { readUsage } from "./read-usage.ts";

const tags = ["observability"];

const InvocationsQuery = Type.Object({ limit: pageLimit({ default: 50, max: 200 }), cursor: idCursor });
const PeriodQuery = Type.Object({ period: Type.Optional(Month) });

/** Routes for the runs and usage of a tenant's agents, including deleted agents. */
export const observabilityRoutes = (deps: PlatformDeps) =>
  new Elysia({ prefix: "/api/v1" })
    .use(jsonRoutes())
    .use(tenantCredential(deps))
    .get(
      "/agents/:name/status",
      async ({ tenant, params, query }) => listAgentInvocations(deps, tenant, params.name, query),
      {
        query: InvocationsQuery,
        response: AgentInvocations,
        detail: { tags, operationId: "getAgentStatus", summary: "An agent's runs, newest first" },
      },
    )
    .get(
      "/agents/:name/logs",
      async ({ tenant, params, query }) => listAgentInvocations(deps, tenant, params.name, query),
      {
        query: InvocationsQuery,
        response: AgentInvocations,
        detail: { tags, operationId: "getAgentLogs", summary: "The same as its status" },
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
          summary: "What an agent's runs used in a month, and of all time",
        },
      },
    )
    .get(
      "/agents/:name/invocations/:id",
      async ({ tenant, params }) => getAgentInvocation(deps, tenant, params.name, params.id),
      {
        response: InvocationDetail,
        detail: { tags, operationId: "getInvocation", summary: "One run, with what it used of each model" },
      },
    )
    .get("/invocations", async ({ tenant, query }) => listTenantInvocations(deps, tenant, query), {
      query: InvocationsQuery,
      response: TenantInvocations,
      detail: { tags, operationId: "listOwnInvocations", summary: "Runs of all agents, newest first" },
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
          summary: "What the tenant used in a month and of all time, and which agents used most",
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
          summary: "What the tenant used on each day of a month, by agent and by model",
        },
      },
    );
