import { and, asc, eq } from "drizzle-orm";
import { dayMs, dayOf, endOfMonth, startOfMonth } from "../../../kit/utc-calendar.ts";
import type { ReadQuery } from "../../../storage/storage.ts";
import type { PlanRow } from "../plans/schema.ts";
import type { SubscriptionRow } from "../subscriptions/schema.ts";
import type { PlatformTables } from "../tables.ts";
import { activeDays } from "./active-days.ts";
import { addDay } from "./base-plan-days.ts";
import type { PlanDays } from "./period-charges.ts";

/** A plan and the parts of a month in which it was in force. */
export interface PlanSpan {
  plan: PlanRow;
  /** First instant, and first instant after it. */
  within: { from: Date; to: Date }[];
}

/** Plans of a subscription in a month. */
export interface SubscriptionMonth {
  /** Billed days under each plan, in order. */
  spans: PlanDays[];
  /** Plan whose activation is due: that of the end of the first day. */
  activated: PlanRow | undefined;
  /** Plans under which the month's runs and events are, each once. The one in force at the end is last. */
  inForce: PlanSpan[];
}

interface GivenPlan {
  since: Date;
  plan: PlanRow;
}

/** A day belongs to the plan in force at its end, runs and events to the plan at their instant. */
export async function subscriptionMonth(
  query: ReadQuery,
  tables: PlatformTables,
  subscription: SubscriptionRow,
  month: string,
  until: Date,
): Promise<SubscriptionMonth> {
  const given = await plansOf(query, tables, subscription);
  const today = dayOf(until);
  const days = await activeDays(query, tables, subscription, month, today);
  return monthUnder(given, subscription, { month, days, today });
}

/** Like `subscriptionMonth`, for given plans, in order, and billed days. */
export function monthUnder(
  given: readonly GivenPlan[],
  { desde, lastDay }: Pick<SubscriptionRow, "desde" | "lastDay">,
  { month, days, today }: { month: string; days: readonly string[]; today: string },
): SubscriptionMonth {
  const planAtEndOf = (day: string) => {
    const end = Date.parse(day) + dayMs;
    return (given.findLast(({ since }) => since.getTime() < end) ?? given[0])?.plan;
  };
  const spans: PlanDays[] = [];
  for (const day of days) {
    const plan = planAtEndOf(day);
    if (plan !== undefined) addDay(spans, plan);
  }
  // A subscription cancelled before its first day never began.
  const hasBegun = desde.startsWith(month) && desde <= today && desde <= (lastDay ?? today);
  return { spans, activated: hasBegun ? planAtEndOf(desde) : undefined, inForce: inForceIn(given, month) };
}

function inForceIn(given: readonly GivenPlan[], month: string): PlanSpan[] {
  const [start, end] = [startOfMonth(month), endOfMonth(month)];
  const first = given.findLast(({ since }) => since <= start) ?? given[0];
  const later = given.filter((each) => each !== first && each.since > start && each.since < end);
  const changes = first === undefined ? later : [first, ...later];
  const byId = new Map<string, PlanSpan>();
  for (const [index, { since, plan }] of changes.entries()) {
    const span = byId.get(plan.id) ?? { plan, within: [] };
    span.within.push({ from: index === 0 ? start : since, to: changes[index + 1]?.since ?? end });
    byId.delete(plan.id);
    byId.set(plan.id, span);
  }
  return [...byId.values()];
}

async function plansOf(
  query: ReadQuery,
  { subscriptionPlans, plans }: PlatformTables,
  { tenantId, id }: SubscriptionRow,
): Promise<GivenPlan[]> {
  const rows = await query
    .select({ since: subscriptionPlans.since, plan: plans })
    .from(subscriptionPlans)
    .innerJoin(plans, eq(plans.id, subscriptionPlans.planId))
    .where(and(eq(subscriptionPlans.tenantId, tenantId), eq(subscriptionPlans.subscriptionId, id)))
    .orderBy(asc(subscriptionPlans.since));
  // `YYYY-MM` is parsed as the first instant of the month.
  return rows.map(({ since, plan }) => ({ since: new Date(since), plan }));
}
