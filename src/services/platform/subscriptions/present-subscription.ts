import { and, asc, eq, inArray } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import type { Subscription } from "../../../contracts/platform/billing/subscriptions.ts";
import { monthAfter, monthOf, startOfMonth } from "../../../kit/utc-calendar.ts";
import type { ReadQuery } from "../../../storage/storage.ts";
import type { PlatformTables } from "../tables.ts";
import { tenantNames } from "../tenants/tenant-names.ts";
import { isCancelled, type SubscriptionRow } from "./schema.ts";

/** Related data of subscriptions, by subscription id. */
interface Facts {
  names: Map<string, string>;
  plans: Map<string, { since: string; planId: string }[]>;
  credits: Map<string, { chargedMicros: number; heldMicros: number }>;
  units: Map<string, Record<string, number>>;
}

/** Converts a subscription, with its plans and its counters in a month, by default the current one. */
export async function presentSubscription(
  query: ReadQuery,
  tables: PlatformTables,
  row: SubscriptionRow,
  now: Date,
  month = monthOf(now),
): Promise<Subscription> {
  return presentWith(await readFacts(query, tables, [row], month), row, { now, month });
}

/** Converts a page of subscriptions, with their plans and counters in a month. */
export async function presentSubscriptions(
  query: ReadQuery,
  tables: PlatformTables,
  rows: readonly SubscriptionRow[],
  when: { now: Date; month: string },
): Promise<Subscription[]> {
  const facts = await readFacts(query, tables, rows, when.month);
  return rows.map((row) => presentWith(facts, row, when));
}

/** Uses a fixed number of statements for any number of subscriptions. */
async function readFacts(
  query: ReadQuery,
  tables: PlatformTables,
  rows: readonly SubscriptionRow[],
  month: string,
): Promise<Facts> {
  const { subscriptionPlans, creditCounters, usageCounters } = tables;
  const tenantIds = [...new Set(rows.map(({ tenantId }) => tenantId))];
  const ids = rows.map(({ id }) => id);
  const ofRows = (tenant: PgColumn, subscription: PgColumn) =>
    and(inArray(tenant, tenantIds), inArray(subscription, ids));
  const plans = await query
    .select()
    .from(subscriptionPlans)
    .where(ofRows(subscriptionPlans.tenantId, subscriptionPlans.subscriptionId))
    .orderBy(asc(subscriptionPlans.since));
  const counters = await query
    .select()
    .from(creditCounters)
    .where(and(eq(creditCounters.month, month), ofRows(creditCounters.tenantId, creditCounters.scope)));
  const used = await query
    .select()
    .from(usageCounters)
    .where(and(eq(usageCounters.month, month), ofRows(usageCounters.tenantId, usageCounters.subscriptionId)))
    .orderBy(asc(usageCounters.unidad));
  return {
    names: await tenantNames(
      query,
      tables,
      rows.map((row) => row.tenantId),
    ),
    plans: Map.groupBy(plans, ({ subscriptionId }) => subscriptionId),
    credits: new Map(counters.map((row) => [row.scope, row])),
    units: new Map(
      [...Map.groupBy(used, ({ subscriptionId }) => subscriptionId)].map(([id, rows]) => [
        id,
        Object.fromEntries(rows.map(({ unidad, cantidad }) => [unidad, cantidad])),
      ]),
    ),
  };
}

function presentWith(
  { names, plans, credits, units }: Facts,
  row: SubscriptionRow,
  { now, month }: { now: Date; month: string },
): Subscription {
  const given = plans.get(row.id) ?? [];
  const next = monthAfter(month);
  // Before its first month, a subscription shows its first plan.
  const planId = (given.findLast(({ since }) => since < next) ?? given[0])?.planId;
  const nextPlanId = given.findLast(({ since }) => since < sinceAfter(next))?.planId;
  if (planId === undefined) throw new Error(`The subscription ${row.id} has no plan.`);
  return {
    id: row.id,
    tenant_id: row.tenantId,
    tenant_name: names.get(row.tenantId) ?? row.tenantId,
    argo_code: row.argoCode,
    plan_id: planId,
    next_plan_id: nextPlanId === undefined || nextPlanId === planId ? null : nextPlanId,
    desde: row.desde,
    status: isCancelled(row, now) ? "cancelled" : "active",
    last_day: row.lastDay,
    created_at: row.createdAt.toISOString(),
    cancelled_at: row.cancelledAt?.toISOString() ?? null,
    counters: {
      period: month,
      credits_charged_micros: credits.get(row.id)?.chargedMicros ?? 0,
      credits_held_micros: credits.get(row.id)?.heldMicros ?? 0,
      units: units.get(row.id) ?? {},
    },
  };
}

/** First text after every `since` of the first instant of a month. */
const sinceAfter = (month: string) => new Date(startOfMonth(month).getTime() + 1).toISOString();
