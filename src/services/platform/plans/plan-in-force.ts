import { and, desc, eq, getTableColumns, lte, sql } from "drizzle-orm";
import { AppError } from "../../../kit/app-error.ts";
import { startOfMonth } from "../../../kit/utc-calendar.ts";
import { equalsBound, statement } from "../../../storage/statement.ts";
import type { ReadQuery } from "../../../storage/storage.ts";
import type { PlatformTables } from "../tables.ts";
import { defaultPlanId } from "./default-plan.ts";
import type { PlanRow } from "./schema.ts";

/** Returns a tenant's base plan at an instant: the latest one assigned by then, or the default. */
export async function basePlan(
  query: ReadQuery,
  tables: PlatformTables,
  tenantId: string,
  at: Date,
): Promise<PlanRow> {
  const [row] = await planInForce(query, tables).execute({ tenantId, at });
  if (row !== undefined) return row;
  throw new AppError("unavailable", "limits_unresolved", "The tenant's limits could not be resolved.");
}

const planInForce = statement((query: ReadQuery, { plans, tenantPlans }: PlatformTables) => {
  const given = query
    .select({ planId: tenantPlans.planId })
    .from(tenantPlans)
    .where(
      and(
        equalsBound(tenantPlans.tenantId, "tenantId"),
        lte(tenantPlans.since, sql.param(sql.placeholder("at"), tenantPlans.since)),
      ),
    )
    .orderBy(desc(tenantPlans.since))
    .limit(1);
  return query
    .select()
    .from(plans)
    .where(eq(plans.id, sql`coalesce((${given}), ${defaultPlanId})`))
    .prepare("platform_plan_in_force");
});

/** Plan of a subscription at an instant. */
export async function subscriptionPlan(
  query: ReadQuery,
  tables: PlatformTables,
  { at, ...of }: { tenantId: string; subscriptionId: string; at: Date },
): Promise<PlanRow> {
  const [row] = await planAt(query, tables).execute({ ...of, at: at.toISOString() });
  if (row !== undefined) return row;
  throw new AppError("unavailable", "limits_unresolved", "The subscription's limits could not be resolved.");
}

/** Plan of a subscription now; before its first month, its first plan. */
export function currentPlan(
  query: ReadQuery,
  tables: PlatformTables,
  { tenantId, id: subscriptionId, desde }: { tenantId: string; id: string; desde: string },
  now: Date,
): Promise<PlanRow> {
  const first = startOfMonth(desde.slice(0, 7));
  return subscriptionPlan(query, tables, { tenantId, subscriptionId, at: now < first ? first : now });
}

const planAt = statement((query: ReadQuery, { plans, subscriptionPlans }: PlatformTables) =>
  query
    .select(getTableColumns(plans))
    .from(subscriptionPlans)
    .innerJoin(plans, eq(plans.id, subscriptionPlans.planId))
    .where(
      and(
        equalsBound(subscriptionPlans.tenantId, "tenantId"),
        equalsBound(subscriptionPlans.subscriptionId, "subscriptionId"),
        lte(subscriptionPlans.since, sql.placeholder("at")),
      ),
    )
    .orderBy(desc(subscriptionPlans.since))
    .limit(1)
    .prepare("platform_subscription_plan"),
);
