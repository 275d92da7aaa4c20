import { and, eq, isNull } from "drizzle-orm";
import type { Plan, PlanInput, TenantPlan } from "../../../contracts/platform/billing/plans.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { ReadQuery, Storage } from "../../../storage/storage.ts";
import { writeAudit } from "../admin/write-audit.ts";
import type { Operator } from "../auth/credentials.ts";
import type { PlatformDeps } from "../deps.ts";
import type { PlatformTables } from "../tables.ts";
import { defaultPlan } from "./default-plan.ts";
import { planRow, presentPlan } from "./present-plan.ts";
import { requireBillable } from "./require-billable.ts";
import type { PlanRow } from "./schema.ts";

/** Writes the default plan if it is missing. Runs at each start. */
export async function seedDefaultPlan(storage: Storage<PlatformTables>, now: Date): Promise<void> {
  const { plans } = storage.tables;
  await storage.transact((tx) =>
    tx
      .insert(plans)
      .values({ ...defaultPlan, createdAt: now })
      .onConflictDoNothing(),
  );
}

/** Creates a plan. Throws 409 `plan_exists` if the id is taken, even by the same content. */
export async function createPlan(
  { storage, clock, newId }: PlatformDeps,
  { actor }: Operator,
  input: PlanInput,
  requestId: string,
): Promise<Plan> {
  const { tables } = storage;
  requireBillable(input);
  return storage.transact(async (tx) => {
    const now = clock.now();
    const [row] = await tx.insert(tables.plans).values(planRow(input, now)).onConflictDoNothing().returning();
    if (row === undefined) {
      throw new AppError(
        "conflict",
        "plan_exists",
        `There is a plan ${input.id}, and plans are never changed.`,
      );
    }
    const detail = { ...input };
    await writeAudit(
      tx,
      tables,
      { now, newId },
      { actor, action: "plan.create", subject: row.id, detail, requestId },
    );
    return presentPlan(row);
  });
}

/** Throws 404 `plan_not_found`, or 422 `plan_mismatch` for a plan with another purpose. */
export async function getPlanFor(
  query: ReadQuery,
  { plans }: PlatformTables,
  planId: string,
  argoCode: string | null,
): Promise<PlanRow> {
  const [plan] = await query.select().from(plans).where(eq(plans.id, planId));
  if (plan === undefined) throw new AppError("not_found", "plan_not_found", `There is no plan ${planId}.`);
  if (plan.argoCode === argoCode) return plan;
  const use = plan.argoCode === null ? "a base plan" : `for ${plan.argoCode}`;
  throw new AppError("unprocessable", "plan_mismatch", `The plan ${planId} is ${use}.`);
}

/** Changes a tenant's base plan. The limits apply at once, the fee from the end of this day. */
export async function setTenantPlan(
  { storage, clock, newId }: PlatformDeps,
  { actor }: Operator,
  { tenantId, planId, requestId }: { tenantId: string; planId: string; requestId: string },
): Promise<TenantPlan> {
  const { tables } = storage;
  const { tenants, tenantPlans } = tables;
  return storage.transact(async (tx) => {
    const [tenant] = await tx
      .select({ id: tenants.id })
      .from(tenants)
      .where(and(eq(tenants.id, tenantId), isNull(tenants.deletedAt)));
    if (tenant === undefined) throw new AppError("not_found", "not_found", "There is no such tenant.");
    await getPlanFor(tx, tables, planId, null);
    const since = clock.now();
    await tx
      .insert(tenantPlans)
      .values({ tenantId, since, planId })
      .onConflictDoUpdate({ target: [tenantPlans.tenantId, tenantPlans.since], set: { planId } });
    const entry = { actor, action: "tenant.plan", tenantId, subject: planId, requestId };
    await writeAudit(tx, tables, { now: since, newId }, entry);
    return { tenant_id: tenantId, plan_id: planId, since: since.toISOString() };
  });
}
