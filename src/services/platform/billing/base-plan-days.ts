import { asc, eq } from "drizzle-orm";
import { AppError } from "../../../kit/app-error.ts";
import { dayMs, endOfMonth, startOfMonth } from "../../../kit/utc-calendar.ts";
import type { ReadQuery } from "../../../storage/storage.ts";
import { defaultPlanId } from "../plans/default-plan.ts";
import type { PlanRow } from "../plans/schema.ts";
import type { PlatformTables } from "../tables.ts";
import type { PlanDays } from "./period-charges.ts";

/** Base plans of a tenant in a month. */
export interface BasePlanMonth {
  /** Days under each plan until `until`: from the day the tenant was created to the day it was deleted. */
  spans: PlanDays[];
  /**
   * Plans that a run of the month may have been charged under, including one replaced on the day it was assigned. The plan in force at the
   * end is last.
   */
  plans: PlanRow[];
}

/** A day belongs to the plan in force at its end, a run to the plan at its instant. */
export async function basePlanMonth(
  query: ReadQuery,
  { tenants, tenantPlans, plans }: PlatformTables,
  { tenantId, month }: { tenantId: string; month: string },
  until: Date,
): Promise<BasePlanMonth> {
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
  const planBefore = (ms: number) => given.findLast(({ since }) => since.getTime() < ms)?.plan ?? free;

  const startMs = Math.max(startOfMonth(month).getTime(), tenant.createdAt.getTime());
  const lastMs = Math.min(
    endOfMonth(month).getTime() - 1,
    until.getTime(),
    tenant.deletedAt?.getTime() ?? Number.POSITIVE_INFINITY,
  );
  const spans: PlanDays[] = [];
  for (let day = startOfDay(startMs); day <= lastMs; day += dayMs) {
    const plan = planBefore(day + dayMs);
    if (plan !== undefined) addDay(spans, plan);
  }
  const within = given.filter(({ since }) => since.getTime() > startMs && since.getTime() <= lastMs);
  const inForce = lastMs < startMs ? [] : [planBefore(startMs + 1), ...within.map(({ plan }) => plan)];
  return { spans, plans: withoutRepeats(inForce) };
}

/** Adds a day, the next one, under a plan. */
export function addDay(spans: PlanDays[], plan: PlanRow): void {
  const span = spans.at(-1);
  if (span?.plan.id === plan.id) span.days++;
  else spans.push({ plan, days: 1 });
}

/** Keeps the last occurrence of each plan. */
function withoutRepeats(plans: readonly (PlanRow | undefined)[]): PlanRow[] {
  const byId = new Map<string, PlanRow>();
  for (const plan of plans) {
    if (plan === undefined) continue;
    byId.delete(plan.id);
    byId.set(plan.id, plan);
  }
  return [...byId.values()];
}

const startOfDay = (ms: number) => Math.floor(ms / dayMs) * dayMs;
