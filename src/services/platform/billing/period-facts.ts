import { and, eq, isNull, sql } from "drizzle-orm";
import { AppError } from "../../../kit/app-error.ts";
import type { ReadQuery } from "../../../storage/storage.ts";
import { adjustmentsOf } from "../corrections/adjust-bill.ts";
import { readCounters, tenantScope } from "../counters/credit-counters.ts";
import { grantedByPlan, pricedGrants } from "../grants/month-grants.ts";
import type { PlanRow } from "../plans/schema.ts";
import { findSubscription } from "../subscriptions/find-subscription.ts";
import { baseScope, type PeriodKey } from "../subscriptions/period-lock.ts";
import { unitsBetween, unitsOf } from "../subscriptions/unit-counters.ts";
import type { PlatformTables } from "../tables.ts";
import { basePlanMonth } from "./base-plan-days.ts";
import { type CreditsByPeriod, exactSum, type PeriodFacts, type PlanUnits } from "./period-charges.ts";
import { type PlanSpan, subscriptionMonth } from "./subscription-month.ts";

/** Reads the facts for a period's bill, with active days until `until`. For a past period, that is the whole month. */
export async function periodFacts(
  query: ReadQuery,
  tables: PlatformTables,
  key: PeriodKey,
  until: Date,
): Promise<PeriodFacts> {
  const isBase = key.scope === baseScope;
  const facts = await (isBase ? baseFacts : subscriptionFacts)(query, tables, key, until);
  const granted = await grantedByPlan(query, tables, key);
  return {
    ...facts,
    credits: facts.credits.map((each) => ({ ...each, grantedMicros: granted.get(each.plan.id) ?? 0 })),
    grants: isBase ? await pricedGrants(query, tables, key) : [],
    adjustments: isBase ? await adjustmentsOf(query, tables, key) : [],
  };
}

/** Facts of a period besides grants and adjustments. */
type OwnFacts = Omit<PeriodFacts, "credits" | "grants" | "adjustments"> & {
  credits: Omit<CreditsByPeriod, "grantedMicros">[];
};

async function subscriptionFacts(
  query: ReadQuery,
  tables: PlatformTables,
  key: PeriodKey,
  until: Date,
): Promise<OwnFacts> {
  const { tenantId, scope, month } = key;
  const subscription = await findSubscription(query, tables, tenantId, scope);
  if (subscription === undefined)
    throw new AppError("not_found", "not_found", "There is no such subscription.");
  const { spans, activated, inForce } = await subscriptionMonth(query, tables, subscription, month, until);
  const counters = await readCounters(query, tables, tenantId, month);
  const plans = inForce.map(({ plan }) => plan);
  return {
    month,
    spans,
    activated,
    usage: await unitsByPlan(query, tables, key, inForce),
    credits: await creditsOf(query, tables, key, {
      plans,
      charged: () => counters.get(scope)?.chargedMicros ?? 0,
    }),
  };
}

async function baseFacts(
  query: ReadQuery,
  tables: PlatformTables,
  key: PeriodKey,
  until: Date,
): Promise<OwnFacts> {
  const { spans, plans } = await basePlanMonth(query, tables, key, until);
  // The tenant's counter includes the runs of its subscriptions. One statement reads all counters; otherwise a run that ends in between
  // would be in only one of them.
  const counters = await readCounters(query, tables, key.tenantId, key.month);
  const charged = () => {
    const ofSubscriptions = [...counters].filter(([scope]) => scope !== tenantScope);
    const all = counters.get(tenantScope)?.chargedMicros ?? 0;
    return all - exactSum(ofSubscriptions.map(([, { chargedMicros }]) => chargedMicros));
  };
  const credits = await creditsOf(query, tables, key, { plans, charged });
  return { month: key.month, spans, activated: undefined, usage: [], credits };
}

/**
 * Credits of a period's runs under each plan. Included credits of one plan can't be used by another, so a plan without runs is left out,
 * unless it is the one in force at the end, which is last.
 */
async function creditsOf(
  query: ReadQuery,
  tables: PlatformTables,
  key: PeriodKey,
  { plans, charged }: { plans: readonly PlanRow[]; charged: () => number },
): Promise<OwnFacts["credits"]> {
  const [plan] = plans;
  if (plan === undefined) return [];
  if (plans.length === 1) return [{ plan, usedMicros: charged() }];
  const byPlan = await chargedByPlan(query, tables, key);
  return plans
    .map((each) => ({ plan: each, usedMicros: byPlan.get(each.id) ?? 0 }))
    .filter(({ usedMicros }, index) => usedMicros > 0 || index === plans.length - 1);
}

/** Reads the runs themselves; needed only for a month in which the plan changed. */
async function chargedByPlan(
  query: ReadQuery,
  { invocations }: PlatformTables,
  { tenantId, scope, month }: PeriodKey,
): Promise<Map<string | null, number>> {
  const { subscriptionId } = invocations;
  const rows = await query
    .select({ planId: invocations.planId, charged: sql`sum(${invocations.chargedMicros})`.mapWith(Number) })
    .from(invocations)
    .where(
      and(
        eq(invocations.tenantId, tenantId),
        eq(invocations.month, month),
        scope === baseScope ? isNull(subscriptionId) : eq(subscriptionId, scope),
      ),
    )
    .groupBy(invocations.planId);
  return new Map(rows.map(({ planId, charged }) => [planId, charged]));
}

/** Units of the events under each plan, with the same rule as for credits. */
async function unitsByPlan(
  query: ReadQuery,
  tables: PlatformTables,
  { tenantId, scope: subscriptionId, month }: PeriodKey,
  inForce: readonly PlanSpan[],
): Promise<PlanUnits[]> {
  const [only, ...others] = inForce;
  const key = { tenantId, subscriptionId, month };
  if (only === undefined) return [];
  if (others.length === 0) return [{ plan: only.plan, units: await unitsOf(query, tables, key) }];
  const used: PlanUnits[] = [];
  for (const { plan, within } of inForce) {
    const units = new Map<string, number>();
    for (const range of within)
      for (const [unit, count] of await unitsBetween(query, tables, key, range))
        units.set(unit, (units.get(unit) ?? 0) + count);
    used.push({ plan, units });
  }
  return used.filter(({ units }, index) => units.size > 0 || index === used.length - 1);
}
