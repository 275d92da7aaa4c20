import { and, eq, sql } from "drizzle-orm";
import { AppError } from "../../../kit/app-error.ts";
import type { ReadQuery } from "../../../storage/storage.ts";
import { subscriptionPlan } from "../plans/plan-in-force.ts";
import { tenantScope } from "../runs/credit-counters.ts";
import { findSubscription } from "../subscriptions/find-subscription.ts";
import { unitsOf } from "../subscriptions/present-subscription.ts";
import type { PlatformTables } from "../tables.ts";
import { basePlanDays } from "./base-plan-days.ts";
import type { PeriodFacts } from "./period-charges.ts";
import { baseScope, type PeriodKey } from "./period-lock.ts";
import { dayOf, endOfMonth, startOfMonth } from "./utc-calendar.ts";

/** All that a period's bill is made of, with active days through `until` (a period that is over: its whole month). */
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
  const first = latest(dayOf(startOfMonth(month)), desde);
  const last = earliest(lastDayOf(month), dayOf(until), lastDay ?? lastDayOf(month));
  const plan = await subscriptionPlan(query, tables, { tenantId, subscriptionId: scope, month });
  return {
    month,
    spans: first <= last ? [{ plan, first, last }] : [{ plan, first, last: dayBefore(first) }],
    isActivated: desde.startsWith(month) && desde <= dayOf(until),
    units: await unitsOf(query, tables, { tenantId, id: scope }, month),
    creditsUsedMicros: await chargedOf(query, tables, tenantId, scope, month),
  };
}

async function baseFacts(
  query: ReadQuery,
  tables: PlatformTables,
  { tenantId, month }: PeriodKey,
  until: Date,
): Promise<PeriodFacts> {
  return {
    month,
    spans: await basePlanDays(query, tables, tenantId, month, until),
    isActivated: false,
    units: new Map(),
    creditsUsedMicros:
      (await chargedOf(query, tables, tenantId, tenantScope, month)) -
      (await chargedToSubscriptions(query, tables, tenantId, month)),
  };
}

async function chargedOf(
  query: ReadQuery,
  { creditCounters }: PlatformTables,
  tenantId: string,
  scope: string,
  month: string,
): Promise<number> {
  const [row] = await query
    .select({ charged: creditCounters.chargedMicros })
    .from(creditCounters)
    .where(
      and(
        eq(creditCounters.tenantId, tenantId),
        eq(creditCounters.scope, scope),
        eq(creditCounters.month, month),
      ),
    );
  return row?.charged ?? 0;
}

/** Runs of an agent with a subscription are in the tenant's counter as well. */
async function chargedToSubscriptions(
  query: ReadQuery,
  { creditCounters }: PlatformTables,
  tenantId: string,
  month: string,
): Promise<number> {
  const [row] = await query
    .select({ charged: sql`coalesce(sum(${creditCounters.chargedMicros}), 0)`.mapWith(Number) })
    .from(creditCounters)
    .where(
      and(
        eq(creditCounters.tenantId, tenantId),
        eq(creditCounters.month, month),
        sql`${creditCounters.scope} <> ${tenantScope}`,
      ),
    );
  return row?.charged ?? 0;
}

const lastDayOf = (month: string) => dayOf(new Date(endOfMonth(month).getTime() - 1));
const dayBefore = (day: string) => dayOf(new Date(Date.parse(day) - 86_400_000));
const latest = (...days: string[]) => days.reduce((most, day) => (day > most ? day : most));
const earliest = (...days: string[]) => days.reduce((least, day) => (day < least ? day : least));
