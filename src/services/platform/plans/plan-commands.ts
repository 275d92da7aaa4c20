import { and, eq, isNull } from "drizzle-orm";
import { featureProblems } from "../../../contracts/platform/billing/plan-features.ts";
import type { Plan, PlanInput, TenantPlan } from "../../../contracts/platform/billing/plans.ts";
import { writeAudit } from "../../../control-plane/audit/write-audit.ts";
import { AppError, type Problem } from "../../../kit/app-error.ts";
import type { ReadQuery, Storage } from "../../../storage/storage.ts";
import type { Operator } from "../auth/credentials.ts";
import type { PlatformTables, StoreDeps } from "../tables.ts";
import { defaultPlan } from "./default-plan.ts";
import { planRow, presentPlan } from "./present-plan.ts";
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
  { storage, clock, newId }: StoreDeps,
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
        `The plan ${input.id} already exists, and plans can't be changed. Choose another id.`,
      );
    }
    const detail = { ...input };
    await writeAudit({ storage, newId }, tx, now, {
      ownerId: null,
      actor,
      action: "plan.create",
      subject: row.id,
      detail,
      requestId,
    });
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
  { storage, clock, newId }: StoreDeps,
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
    const entry = { actor, action: "tenant.plan", ownerId: tenantId, subject: planId, requestId };
    await writeAudit({ storage, newId }, tx, since, entry);
    return { tenant_id: tenantId, plan_id: planId, since: since.toISOString() };
  });
}

/** Maximum cost of a month's extra credits in micros, so every sum in a statement can be represented exactly. */
const extraMicrosMax = 1_000_000_000_000_000n;

/** Number of credits assumed for a month without a cap: ten million. */
const uncappedCreditsMicros = 10_000_000_000_000;

/** Refuses a plan whose bills could exceed exact numbers, or that has units without a subscription. */
function requireBillable(plan: PlanInput): void {
  const problems: Problem[] = [];
  const credits = BigInt(plan.credit_cap_period_micros ?? uncappedCreditsMicros);
  if ((credits * BigInt(plan.extra_credit_price_micros)) / 1_000_000n > extraMicrosMax) {
    const message =
      "is too high for this cap: a month's extra credits could cost more than is billed exactly";
    problems.push({ path: "extra_credit_price_micros", message });
  }
  if ((plan.argo_code ?? null) === null && Object.keys(plan.spec.unidades).length > 0) {
    const message = "must be empty without argo_code: units are used by subscriptions";
    problems.push({ path: "spec.unidades", message });
  }
  problems.push(...featureProblems(plan.spec.features));
  const [first] = problems;
  if (first === undefined) return;
  throw new AppError("invalid", "invalid_request", `The body is not valid: ${first.path} ${first.message}.`, {
    details: { problems },
  });
}
