import { asc, eq } from "drizzle-orm";
import { AppError } from "../../../kit/app-error.ts";
import type { ReadQuery } from "../../../storage/storage.ts";
import { defaultPlanId } from "../plans/default-plan.ts";
import type { PlanRow } from "../plans/schema.ts";
import type { PlatformTables } from "../tables.ts";
import type { PlanDays } from "./period-charges.ts";
import { dayOf, endOfMonth, startOfMonth } from "./utc-calendar.ts";

const dayMs = 86_400_000;

/**
 * The days of a month on which a tenant had a base plan, through `until`: from the day it was made to the day it was deleted. A day
 * belongs to the plan at its end.
 */
export async function basePlanDays(
  query: ReadQuery,
  { tenants, tenantPlans, plans }: PlatformTables,
  tenantId: string,
  month: string,
  until: Date,
): Promise<PlanDays[]> {
  const [tenant] = await query
    .select({ createdAt: tenants.createdAt, deletedAt: tenants.deletedAt })
    .from(tenants)
    .where(eq(tenants.id, tenantId));
  if (tenant === undefined) throw new AppError("not_found", "not_found", "There is no such tenant.");
  const given = await query
    .select({ since: tenantPlans.since, plan: plans })
    .from(tenantPlans)
    .innerJoin(plans, eq(plans.id, tenantPlans.planId))
    .where(eq(tenantPlans.tenantId, tenantId))
    .orderBy(asc(tenantPlans.since));
  const [free] = await query.select().from(plans).where(eq(plans.id, defaultPlanId));
  const planAt = (end: number) => given.findLast(({ since }) => since.getTime() < end)?.plan ?? free;

  const from = Math.max(startOfMonth(month).getTime(), startOfDay(tenant.createdAt));
  const lastMs = Math.min(
    endOfMonth(month).getTime() - 1,
    until.getTime(),
    tenant.deletedAt?.getTime() ?? Number.POSITIVE_INFINITY,
  );
  const spans: PlanDays[] = [];
  for (let day = from; day <= lastMs; day += dayMs) {
    const plan = planAt(day + dayMs);
    if (plan !== undefined) addDay(spans, plan, dayOf(new Date(day)));
  }
  return spans;
}

function addDay(spans: PlanDays[], plan: PlanRow, day: string): void {
  const span = spans.at(-1);
  if (span?.plan.id === plan.id) span.last = day;
  else spans.push({ plan, first: day, last: day });
}

const startOfDay = (at: Date) => Math.floor(at.getTime() / dayMs) * dayMs;
