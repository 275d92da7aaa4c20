import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { Trace } from "../../../contracts/daemon/runs/run.ts";
import {
  AdminAgentList,
  AdminInvocationDetail,
  AdminInvocationList,
  AdminTenant,
  AdminTenantList,
  AdminUsage,
  AuditList,
  TenantNameList,
} from "../../../contracts/platform/admin.ts";
import { attributionQuery, CostAttribution } from "../../../contracts/platform/attribution.ts";
import { Month } from "../../../contracts/platform/billing/fields.ts";
import { RevenueReport, revenueCsv, revenueMonthsMax } from "../../../contracts/platform/billing/revenue.ts";
import { Rerated, RerateInput } from "../../../contracts/platform/billing/tariffs.ts";
import {
  InvocationStatus,
  PricingStatus,
  qualityQuery,
  textsQuery,
} from "../../../contracts/platform/observability.ts";
import { auditParameters } from "../../../control-plane/audit/audit-filter.ts";
import { jsonBody } from "../../../http/bodies/json-body.ts";
import { csvAnswer } from "../../../http/csv-answer.ts";
import { idCursor, pageLimit, wholeListLimit } from "../../../http/paging.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import { monthOf } from "../../../kit/utc-calendar.ts";
import { operatorCredential } from "../auth/credentials.ts";
import type { CredentialDeps } from "../auth/deps.ts";
import { readRevenueReport } from "../billing/revenue-report.ts";
import { rerateRuns } from "../runs/settlement/rerate-runs.ts";
import { searchTenants } from "../tenants/tenant-names.ts";
import { asAttribution } from "../usage/answer-attribution.ts";
import type { ListDeps } from "../usage/list-invocations.ts";
import { readCosts } from "../usage/read-attribution.ts";
import { readAnyRunTrace, type TraceDeps } from "../usage/read-run-trace.ts";
import { listAgentHealth } from "./list-agents.ts";
import { listChanges } from "./list-changes.ts";
import { listInvocations, readInvocation } from "./list-invocations.ts";
import { listTenants } from "./list-tenants.ts";
import { readPlatformUsage } from "./read-platform-usage.ts";
import { readTenant } from "./read-tenant.ts";

const tags = ["operators"];

/** Lists that the documents show without pages. */
const wholeOrPage = { limit: wholeListLimit(), cursor: idCursor };
const page = { limit: pageLimit({ default: 50, max: 200 }), cursor: idCursor };
const period = Type.Optional(Month);
const id = Type.Optional(Type.String({ maxLength: 64 }));

/** Operators' routes that read the data of all tenants. */
export const adminRoutes = (deps: CredentialDeps & ListDeps & TraceDeps) => {
  const monthIn = (query: { period?: string }) => query.period ?? monthOf(deps.clock.now());
  return new Elysia({ prefix: "/api/v1/admin" })
    .use(jsonRoutes())
    .use(operatorCredential(deps))
    .get("/usage", async ({ query }) => readPlatformUsage(deps, monthIn(query)), {
      query: Type.Object({ period }),
      response: AdminUsage,
      detail: {
        tags,
        operationId: "getPlatformUsage",
        summary: "Returns usage and cost of all tenants in a month, and models without a tariff",
      },
    })
    .get(
      "/usage/attribution",
      async ({ query }) => {
        const { by, tenant_id: tenantId, format } = query;
        return asAttribution(await readCosts(deps.storage, { by, tenantId, period: monthIn(query) }), format);
      },
      {
        query: Type.Object({ ...attributionQuery, tenant_id: id }),
        response: CostAttribution,
        detail: {
          tags,
          operationId: "getCostAttribution",
          summary: "Splits usage and cost of a month by key, member or model, of one tenant or of all",
          description: "With `format=csv`, a table with a line for each.",
        },
      },
    )
    .get(
      "/revenue",
      async ({ query: { months, format } }) => {
        const report = await readRevenueReport(deps, months);
        return format === "csv" ? csvAnswer("revenue", revenueCsv(report)) : report;
      },
      {
        query: Type.Object({
          months: pageLimit({ default: 12, max: revenueMonthsMax }),
          format: attributionQuery.format,
        }),
        response: RevenueReport,
        detail: {
          tags: ["billing"],
          operationId: "getRevenue",
          summary: "Returns revenue, new and lost tenants of the last months, the current one included",
          description: "With `format=csv`, a table with a line for each.",
        },
      },
    )
    .get("/tenants", async ({ query }) => listTenants(deps, monthIn(query), query), {
      query: Type.Object({ ...wholeOrPage, period }),
      response: AdminTenantList,
      detail: {
        tags,
        operationId: "listAllTenants",
        summary: "Lists tenants with their usage of a month, newest first",
        description:
          "Returns all of them, at most 10,000, unless `limit` is smaller. `next_cursor` is present if there are more.",
      },
    })
    .get("/tenant-names", async ({ query }) => searchTenants(deps.storage.read, deps.storage.tables, query), {
      query: Type.Object({
        search: Type.Optional(
          Type.String({ maxLength: 255, description: "Part of the tenant's name or code, or its ID." }),
        ),
        limit: pageLimit({ default: 20, max: 200 }),
      }),
      response: TenantNameList,
      detail: {
        tags,
        operationId: "searchTenants",
        summary: "Searches tenants by name, code or id, newest first",
      },
    })
    .get("/tenants/:id", async ({ params, query }) => readTenant(deps, params.id, monthIn(query)), {
      query: Type.Object({ period }),
      response: AdminTenant,
      detail: {
        tags,
        operationId: "getTenantConsumption",
        summary: "Returns a tenant with its plan, limits, usage and remaining credits",
      },
    })
    .get(
      "/agents",
      async ({ query }) =>
        listAgentHealth(deps, { period: monthIn(query), tenantId: query.tenant_id }, query),
      {
        query: Type.Object({ ...wholeOrPage, period, tenant_id: id }),
        response: AdminAgentList,
        detail: {
          tags,
          operationId: "listAgentHealth",
          summary: "Lists agents of all tenants with error rates of a month, newest first",
          description:
            "Returns all of them, at most 10,000, unless `limit` is smaller. `next_cursor` is present if there are more.",
        },
      },
    )
    .get("/invocations", async ({ query, operator }) => listInvocations(deps, operator, query, query), {
      query: Type.Object({
        ...page,
        tenant_id: id,
        agent_id: id,
        status: Type.Optional(InvocationStatus),
        pricing_status: Type.Optional(PricingStatus),
        period,
        ...qualityQuery,
        ...textsQuery,
      }),
      response: AdminInvocationList,
      detail: {
        tags,
        operationId: "listInvocations",
        summary: "Lists runs of all tenants, newest first",
        description:
          "Texts are for an operator who is a person, and could read them as the tenant. The operator token leaves them out, and so does a deleted tenant.",
      },
    })
    .post(
      "/tariffs/rerate",
      async ({ operator, body: { period, tenant_id: tenantId, dry_run: dryRun }, call }) =>
        rerateRuns(deps, operator, { period, tenantId, dryRun, requestId: call.requestId }),
      {
        ...jsonBody(RerateInput),
        response: Rerated,
        detail: {
          tags: ["tariffs"],
          operationId: "rerateRuns",
          summary: "Prices unpriced runs of open periods with the tariffs stored now",
          description:
            "Only answered runs, and only those whose tariff was stored after they ended. Charges stay within the caps. By default the current month and the one before.",
        },
      },
    )
    .get("/invocations/:id", async ({ params }) => readInvocation(deps, params.id), {
      response: AdminInvocationDetail,
      detail: { tags, operationId: "getAnyInvocation", summary: "Returns a run with usage and cost" },
    })
    .get(
      "/invocations/:id/trace",
      async ({ params, operator }) => readAnyRunTrace(deps, operator, params.id),
      {
        response: Trace,
        detail: {
          tags,
          operationId: "getAnyInvocationTrace",
          summary: "Returns the steps of any tenant's run, while its trace is kept",
          description: "The operator token gets them without questions, answers and inputs of tools.",
        },
      },
    )
    .get("/audit", async ({ query }) => listChanges(deps, query, query), {
      query: Type.Object({
        ...page,
        tenant_id: id,
        ...auditParameters,
      }),
      response: AuditList,
      detail: { tags, operationId: "listAudit", summary: "Lists the audit log, newest first" },
    });
};
