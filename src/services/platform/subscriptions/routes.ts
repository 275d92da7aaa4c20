import { Type } from "@sinclair/typebox";
import { and, desc, eq, lt } from "drizzle-orm";
import { Elysia } from "elysia";
import { Month } from "../../../contracts/platform/billing/fields.ts";
import {
  Subscription,
  SubscriptionCancelInput,
  SubscriptionInput,
  SubscriptionList,
  SubscriptionPlanInput,
  TenantSubscription,
  UsageEvent,
  UsageEventInput,
} from "../../../contracts/platform/billing/subscriptions.ts";
import { jsonBody, optionalJsonBody } from "../../../http/bodies/json-body.ts";
import { cursor, decodeCursor, encodeCursor, refuseCursor } from "../../../http/page-cursor.ts";
import { wholeListLimit } from "../../../http/paging.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import { AppError } from "../../../kit/app-error.ts";
import { batches } from "../../../kit/batches.ts";
import { monthOf } from "../../../kit/utc-calendar.ts";
import { operatorCredential, tenantCredential } from "../auth/credentials.ts";
import type { CredentialDeps } from "../auth/deps.ts";
import { currentPlan } from "../plans/plan-in-force.ts";
import { presentPlan } from "../plans/present-plan.ts";
import type { StoreDeps } from "../tables.ts";
import { cancelSubscription, changePlan } from "./change-subscription.ts";
import { createSubscription } from "./create-subscription.ts";
import { presentSubscription, presentSubscriptions } from "./present-subscription.ts";
import { recordUsage } from "./record-usage.ts";
import { activeAt } from "./schema.ts";

const tags = ["subscriptions"];

const ListQuery = Type.Object({
  tenant_id: Type.Optional(Type.String({ maxLength: 64 })),
  period: Type.Optional(Month),
  limit: wholeListLimit(),
  cursor,
});

/** Operators' routes for subscriptions. */
export const adminSubscriptionRoutes = (deps: CredentialDeps) =>
  new Elysia({ prefix: "/api/v1/admin/subscriptions" })
    .use(jsonRoutes())
    .use(operatorCredential(deps))
    .post(
      "",
      async ({ operator, body, call, set }) => {
        set.status = 201;
        return createSubscription(deps, operator, body, call.requestId);
      },
      {
        ...jsonBody(SubscriptionInput),
        response: { 201: Subscription },
        detail: { tags, operationId: "createSubscription", summary: "Subscribes a tenant to a vertical" },
      },
    )
    .get("", async ({ query }) => listSubscriptions(deps, query), {
      query: ListQuery,
      response: SubscriptionList,
      detail: {
        tags,
        operationId: "listSubscriptions",
        summary: "Lists subscriptions with the counters of a period, newest first",
        description:
          "Returns all of them, at most 10,000, unless `limit` is smaller. `next_cursor` is present if there are more.",
      },
    })
    .get("/:id", async ({ params, query }) => readSubscription(deps, params.id, query.period), {
      query: Type.Object({ period: Type.Optional(Month) }),
      response: Subscription,
      detail: {
        tags,
        operationId: "getAnySubscription",
        summary: "Returns a subscription with the counters of a period",
      },
    })
    .put(
      "/:id/plan",
      async ({ operator, params, body, call }) =>
        changePlan(deps, operator, {
          id: params.id,
          planId: body.plan_id,
          at: body.at ?? "period_end",
          requestId: call.requestId,
        }),
      {
        ...jsonBody(SubscriptionPlanInput),
        response: Subscription,
        detail: {
          tags,
          operationId: "scheduleSubscriptionPlan",
          summary:
            "Changes the plan from the next period on, or now; the current plan cancels a scheduled change",
          description:
            "With `at: now`, the fee is split by days: a day is billed under the plan in force at its end. Runs and usage events belong to the plan in force at their instant.",
        },
      },
    )
    .post(
      "/:id/cancel",
      async ({ operator, params, body, call }) =>
        cancelSubscription(deps, operator, {
          id: params.id,
          at: body?.at ?? "now",
          requestId: call.requestId,
        }),
      {
        ...optionalJsonBody(SubscriptionCancelInput),
        response: Subscription,
        detail: {
          tags,
          operationId: "cancelSubscription",
          summary: "Cancels a subscription as of today, or at the end of its period",
          description: "Runs of its agents go on until the end of its last day, which is billed.",
        },
      },
    );

/** Routes for a tenant's own subscriptions and their usage. */
export const subscriptionRoutes = (deps: CredentialDeps) =>
  new Elysia({ prefix: "/api/v1" })
    .use(jsonRoutes())
    .use(tenantCredential(deps, "usageEvents"))
    .get(
      "/subscriptions",
      async ({ tenant, query }) => activeSubscription(deps, tenant.tenantId, query.argo),
      {
        query: Type.Object({ argo: Type.String({ minLength: 1, maxLength: 63 }) }),
        response: TenantSubscription,
        detail: {
          tags,
          operationId: "getSubscription",
          summary: "Returns the active subscription of a vertical, with its plan",
        },
      },
    )
    .post(
      "/usage/events",
      async ({ tenant, body, set }) => {
        const { event, isNew } = await recordUsage(deps, tenant, body);
        set.status = isNew ? 201 : 200;
        return event as never;
      },
      {
        ...jsonBody(UsageEventInput),
        response: { 200: UsageEvent, 201: UsageEvent },
        detail: {
          tags,
          operationId: "recordUsage",
          summary: "Records a usage event, once per event id",
        },
      },
    );

/** Subscriptions whose facts are read in one statement each. */
const presentedTogether = 500;

async function listSubscriptions(
  { storage: { read, tables }, clock }: StoreDeps,
  { tenant_id, period, limit, cursor: after }: SubscriptionQuery,
): Promise<SubscriptionList> {
  const { subscriptions } = tables;
  const rows = await read
    .select()
    .from(subscriptions)
    .where(
      and(
        tenant_id === undefined ? undefined : eq(subscriptions.tenantId, tenant_id),
        after === undefined ? undefined : lt(subscriptions.id, idIn(after)),
      ),
    )
    .orderBy(desc(subscriptions.id))
    .limit(limit + 1);
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  const now = clock.now();
  const when = { now, month: period ?? monthOf(now) };
  const presented: SubscriptionList["subscriptions"] = [];
  for (const some of batches(rows.slice(0, limit), presentedTogether))
    presented.push(...(await presentSubscriptions(read, tables, some, when)));
  return {
    subscriptions: presented,
    ...(last && { next_cursor: encodeCursor([last.id]) }),
  };
}

interface SubscriptionQuery {
  tenant_id?: string;
  period?: string;
  limit: number;
  cursor?: string;
}

function idIn(cursor: string): string {
  const [id, ...others] = decodeCursor(cursor);
  if (typeof id !== "string" || others.length > 0) throw refuseCursor();
  return id;
}

async function readSubscription(
  { storage: { read, tables }, clock }: StoreDeps,
  id: string,
  period: string | undefined,
): Promise<Subscription> {
  const { subscriptions } = tables;
  const [row] = await read.select().from(subscriptions).where(eq(subscriptions.id, id));
  if (row === undefined) {
    throw new AppError("not_found", "subscription_not_found", "There is no such subscription.");
  }
  return presentSubscription(read, tables, row, clock.now(), period);
}

async function activeSubscription(
  { storage: { read, tables }, clock }: StoreDeps,
  tenantId: string,
  argoCode: string,
): Promise<TenantSubscription> {
  const { subscriptions } = tables;
  const now = clock.now();
  const [row] = await read
    .select()
    .from(subscriptions)
    .where(
      and(eq(subscriptions.tenantId, tenantId), eq(subscriptions.argoCode, argoCode), activeAt(tables, now)),
    )
    .orderBy(subscriptions.desde)
    .limit(1);
  if (row === undefined) {
    throw new AppError("not_found", "not_found", `There is no active subscription of ${argoCode}.`);
  }
  const plan = await currentPlan(read, tables, row, now);
  return { ...(await presentSubscription(read, tables, row, now)), plan: presentPlan(plan) };
}
