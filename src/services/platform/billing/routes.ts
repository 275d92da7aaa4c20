import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import {
  BillingPeriod,
  BillingPeriodList,
  OverduePeriodList,
  PeriodStatus,
  Statement,
} from "../../../contracts/platform/billing/billing.ts";
import { Month } from "../../../contracts/platform/billing/fields.ts";
import { SubscriptionInput, SubscriptionPreview } from "../../../contracts/platform/billing/subscriptions.ts";
import { jsonBody } from "../../../http/bodies/json-body.ts";
import { cursor } from "../../../http/page-cursor.ts";
import { pageLimit, wholeListLimit } from "../../../http/paging.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import { operatorCredential, tenantCredential } from "../auth/credentials.ts";
import type { CredentialDeps } from "../auth/deps.ts";
import { answerStatement, type StatementForm, statementForm } from "./answer-statement.ts";
import { listPeriods, overduePeriods } from "./list-periods.ts";
import { markFacturado } from "./mark-facturado.ts";
import { previewSubscription } from "./preview-subscription.ts";

const tags = ["billing"];

const StatementQuery = Type.Object({ period: Type.Optional(Month) });

const text = { schema: { type: "string" } } as const;

/** A tenant's own statement, with the prices of its plans and the credits that they include. */
export const statementRoutes = (deps: CredentialDeps) =>
  new Elysia({ prefix: "/api/v1" })
    .use(jsonRoutes())
    .use(tenantCredential(deps, "read"))
    .get(
      "/statement",
      async ({ tenant, query, request, set }) => {
        set.headers.vary = "accept";
        const form = statementForm(request.headers.get("accept"));
        return (await answerStatement(deps, { tenantId: tenant.tenantId, ...query, form })) as never;
      },
      {
        query: StatementQuery,
        response: Statement,
        detail: {
          tags,
          operationId: "getOwnStatement",
          summary: "Returns the tenant's statement of a month (default: the current one)",
          description:
            "Returns JSON by default, a table with `Accept: text/csv`, or a printable page with `Accept: text/html`.",
        },
      },
    );

/** Operators' routes for statements and periods. */
export const billingRoutes = (deps: CredentialDeps) =>
  new Elysia({ prefix: "/api/v1/admin" })
    .use(jsonRoutes())
    .use(operatorCredential(deps))
    .get(
      "/tenants/:id/statement",
      async ({ params, query, request, set }) => {
        set.headers.vary = "accept";
        const form = statementForm(request.headers.get("accept"));
        return (await answerStatement(deps, { tenantId: params.id, ...query, form })) as never;
      },
      {
        query: StatementQuery,
        response: Statement,
        detail: {
          tags,
          operationId: "getStatement",
          summary: "Returns a tenant's statement of a month (default: the current one)",
          description:
            "Returns JSON by default, a table with `Accept: text/csv`, or a printable page with `Accept: text/html`. The CSV and HTML formats also have their own paths, ending in `.csv` and `.html`.",
        },
      },
    )
    .get(
      "/tenants/:id/statement.csv",
      async ({ params, query }) => statementAs(deps, "csv", params.id, query),
      {
        query: StatementQuery,
        detail: {
          tags,
          operationId: "getStatementCsv",
          summary: "Returns the statement as CSV, one line per charge",
          responses: { 200: { description: "Statement as CSV.", content: { "text/csv": text } } },
        },
      },
    )
    .get(
      "/tenants/:id/statement.html",
      async ({ params, query }) => statementAs(deps, "html", params.id, query),
      {
        query: StatementQuery,
        detail: {
          tags,
          operationId: "getStatementPage",
          summary: "Returns the statement as a printable page",
          responses: { 200: { description: "Statement as an HTML page.", content: { "text/html": text } } },
        },
      },
    )
    .post("/subscriptions/preview", async ({ body }) => previewSubscription(deps, body), {
      ...jsonBody(SubscriptionInput),
      response: SubscriptionPreview,
      detail: {
        tags: ["subscriptions"],
        operationId: "previewSubscription",
        summary: "Returns what a new subscription would be billed for past months; stores nothing",
      },
    })
    .get("/billing-periods", async ({ query }) => listPeriods(deps, query), {
      query: Type.Object({
        tenant_id: Type.Optional(Type.String({ maxLength: 64 })),
        subscription_id: Type.Optional(Type.String({ maxLength: 64 })),
        period: Type.Optional(Month),
        status: Type.Optional(PeriodStatus),
        limit: pageLimit({ default: 50, max: 200 }),
        cursor,
      }),
      response: BillingPeriodList,
      detail: {
        tags,
        operationId: "listBillingPeriods",
        summary: "Lists billing periods, latest month first",
      },
    })
    .get("/billing-periods/overdue", async ({ query }) => overduePeriods(deps, query), {
      query: Type.Object({ limit: wholeListLimit(), cursor }),
      response: OverduePeriodList,
      detail: {
        tags,
        operationId: "listOverduePeriods",
        summary: "Lists periods whose closing is more than an hour overdue, oldest first",
        description:
          "Returns all of them, at most 10,000, unless `limit` is smaller. `next_cursor` is present if there are more.",
      },
    })
    .post(
      "/billing-periods/:id/facturado",
      async ({ operator, params, call }) =>
        markFacturado(deps, operator, { id: params.id, requestId: call.requestId }),
      {
        response: BillingPeriod,
        detail: { tags, operationId: "markFacturado", summary: "Marks a closed period as invoiced" },
      },
    );

const statementAs = (
  deps: CredentialDeps,
  form: StatementForm,
  tenantId: string,
  query: { period?: string },
): Promise<Statement | Response> => answerStatement(deps, { tenantId, ...query, form });
