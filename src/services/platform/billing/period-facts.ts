import { and, eq, isNull, sql } from "drizzle-orm";
import { AppError } from "../../../kit/app-error.ts";
import { dayOf } from "../../../kit/utc-calendar.ts";
import type { ReadQuery } from "../../../storage/storage.ts";
import { readCounters, tenantScope } from "../counters/credit-counters.ts";
import { subscriptionPlan } from "../plans/plan-in-force.ts";
import type { PlanRow } from "../plans/schema.ts";
import { findSubscription } from "../subscriptions/find-subscription.ts";
import { baseScope, type PeriodKey } from "../subscriptions/period-lock.ts";
import { unitsOf } from "../subscriptions/unit-counters.ts";
import type { PlatformTables } from "../tables.ts";
import { activeDays } from "./active-days.ts";
import { basePlanMonth } from "./base-plan-days.ts";
import { exactSum, type PeriodFacts, type PlanCredits } from "./period-charges.ts";

/** Reads the facts for a period's bill, with active days until `until`. For a past period, that is the whole month. */
export function periodFacts(
  query: ReadQuery,
  tables: PlatformTables,
  key: PeriodKey,
  until: Date,
): Promise<PeriodFacts> {
  return key.scope === baseScope
    ? baseFacts(query, tables, key, until)
    : subscriptionFacts(query, tables, key, until);
}

async function subscriptionFacts(
  query: ReadQuery,
  tables: PlatformTables,
  { tenantId, scope, month }: PeriodKey,
  until: Date,
): Promise<PeriodFacts> {
  const subscription = await findSubscription(query, tables, tenantId, scope);
  if (subscription === undefined)
    throw new AppError("not_found", "not_found", "There is no such subscription.");
  const { desde, lastDay } = subscription;
  const today = dayOf(until);
  const days = await activeDays(query, tables, subscription, month, today);
  const plan = await subscriptionPlan(query, tables, { tenantId, subscriptionId: scope, month });
  const counters = await readCounters(query, tables, tenantId, month);
  return {
    month,
    spans: days > 0 ? [{ plan, days }] : [],
    // A subscription cancelled before its first day never began.
    activated: desde.startsWith(month) && desde <= today && desde <= (lastDay ?? today) ? plan : undefined,
    usage: { plan, units: await unitsOf(query, tables, { tenantId, subscriptionId: scope, month }) },
    credits: [{ plan, usedMicros: counters.get(scope)?.chargedMicros ?? 0 }],
  };
}

async function baseFacts(
  query: ReadQuery,
  tables: PlatformTables,
  key: PeriodKey,
  until: Date,
): Promise<PeriodFacts> {
  const { spans, plans } = await basePlanMonth(query, tables, key, until);
  const credits = await creditsOf(query, tables, key, plans);
  return { month: key.month, spans, activated: undefined, usage: undefined, credits };
}

/** Credits of runs without a subscription under each plan. The plan in force at the end is always included. */
async function creditsOf(
  query: ReadQuery,
  tables: PlatformTables,
  { tenantId, month }: PeriodKey,
  plans: readonly PlanRow[],
): Promise<PlanCredits[]> {
  const [plan] = plans;
  if (plan === undefined) return [];
  if (plans.length === 1) {
    // The tenant's counter includes the runs of its subscriptions. One statement reads all counters; otherwise a run that ends in between
    // would be in only one of them.
    const counters = await readCounters(query, tables, tenantId, month);
    const ofSubscriptions = [...counters].filter(([scope]) => scope !== tenantScope);
    const charged = counters.get(tenantScope)?.chargedMicros ?? 0;
    return [
      { plan, usedMicros: charged - exactSum(ofSubscriptions.map(([, { chargedMicros }]) => chargedMicros)) },
    ];
  }
  const byPlan = await chargedByPlan(query, tables, { tenantId, month });
  return (
    plans
      .map((each) => ({ plan: each, usedMicros: byPlan.get(each.id) ?? 0 }))
      // Included credits of one plan can't be used by another, so a plan without runs is left out, unless it is the one in force.
      .filter(({ usedMicros }, index) => usedMicros > 0 || index === plans.length - 1)
  );
}

/** Reads the runs themselves; needed only for a month in which the plan changed. */
async function chargedByPlan(
  query: ReadQuery,
  { invocations }: PlatformTables,
  { tenantId, month }: { tenantId: string; month: string },
): Promise<Map<string | null, number>> {
  const rows = await query
    .select({ planId: invocations.planId, charged: sql`sum(${invocations.chargedMicros})`.mapWith(Number) })
    .from(invocations)
    .where(
      and(
        eq(invocations.tenantId, tenantId),
        eq(invocations.month, month),
        isNull(invocations.subscriptionId),
      ),
    )
    .groupBy(invocations.planId);
  return new Map(rows.map(({ planId, charged }) => [planId, charged]));
}
