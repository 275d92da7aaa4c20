import { and, desc, eq, lte, sql } from "drizzle-orm";
import type { Subscription } from "../../../contracts/platform/subscriptions.ts";
import type { ReadQuery } from "../../../storage/storage.ts";
import { monthAfter } from "../billing/utc-calendar.ts";
import type { PlatformTables } from "../tables.ts";
import type { SubscriptionRow } from "./schema.ts";

/** A subscription with its plans and its counters in a month. */
export async function presentSubscription(
  query: ReadQuery,
  tables: PlatformTables,
  row: SubscriptionRow,
  month: string,
): Promise<Subscription> {
  const { creditCounters } = tables;
  const [counter] = await query
    .select()
    .from(creditCounters)
    .where(
      and(
        eq(creditCounters.tenantId, row.tenantId),
        eq(creditCounters.scope, row.id),
        eq(creditCounters.month, month),
      ),
    );
  const first = row.desde.slice(0, 7);
  const planId = await planIdIn(query, tables, row, month < first ? first : month);
  const nextPlanId = await planIdIn(query, tables, row, monthAfter(month));
  return {
    id: row.id,
    tenant_id: row.tenantId,
    argo_code: row.argoCode,
    plan_id: planId ?? "",
    next_plan_id: nextPlanId === planId ? null : (nextPlanId ?? null),
    desde: row.desde,
    status: row.cancelledAt === null ? "active" : "cancelled",
    last_day: row.lastDay,
    created_at: row.createdAt.toISOString(),
    cancelled_at: row.cancelledAt?.toISOString() ?? null,
    counters: {
      period: month,
      credits_charged_micros: counter?.chargedMicros ?? 0,
      credits_held_micros: counter?.heldMicros ?? 0,
      units: Object.fromEntries(await unitsOf(query, tables, row, month)),
    },
  };
}

/** What was used of each unit in a month. */
export async function unitsOf(
  query: ReadQuery,
  { usageEvents }: PlatformTables,
  { tenantId, id }: Pick<SubscriptionRow, "tenantId" | "id">,
  month: string,
): Promise<Map<string, number>> {
  const rows = await query
    .select({ unidad: usageEvents.unidad, used: sql`sum(${usageEvents.cantidad})`.mapWith(Number) })
    .from(usageEvents)
    .where(
      and(
        eq(usageEvents.tenantId, tenantId),
        eq(usageEvents.subscriptionId, id),
        eq(usageEvents.month, month),
      ),
    )
    .groupBy(usageEvents.unidad)
    .orderBy(usageEvents.unidad);
  return new Map(rows.map(({ unidad, used }) => [unidad, used]));
}

async function planIdIn(
  query: ReadQuery,
  { subscriptionPlans }: PlatformTables,
  { tenantId, id }: SubscriptionRow,
  month: string,
): Promise<string | undefined> {
  const [row] = await query
    .select({ planId: subscriptionPlans.planId })
    .from(subscriptionPlans)
    .where(
      and(
        eq(subscriptionPlans.tenantId, tenantId),
        eq(subscriptionPlans.subscriptionId, id),
        lte(subscriptionPlans.fromMonth, month),
      ),
    )
    .orderBy(desc(subscriptionPlans.fromMonth))
    .limit(1);
  return row?.planId;
}
