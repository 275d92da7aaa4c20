import { and, eq, gt, gte, isNull, ne } from "drizzle-orm";
import type { Subscription, SubscriptionInput } from "../../../contracts/platform/billing/subscriptions.ts";
import { writeAudit } from "../../../control-plane/audit/write-audit.ts";
import { AppError } from "../../../kit/app-error.ts";
import { parseInstant } from "../../../kit/parse-instant.ts";
import { dayMs, dayOf, startOfMonth } from "../../../kit/utc-calendar.ts";
import type { ReadQuery } from "../../../storage/storage.ts";
import type { Operator } from "../auth/credentials.ts";
import { getPlanFor } from "../plans/plan-commands.ts";
import type { PlanRow } from "../plans/schema.ts";
import type { PlatformTables, StoreDeps } from "../tables.ts";
import { presentSubscription } from "./present-subscription.ts";
import type { SubscriptionRow } from "./schema.ts";

/** Range for the first day, in days from today. Each past month is billed at once. */
const daysBackMax = 1830;
const daysAheadMax = 366;

/**
 * Subscribes a tenant to a vertical. Throws 409 `subscription_exists` if it has an active subscription of it, 409 `period_closed` if the
 * first day is in a month whose statement is final, 422 `subscription_before_tenant` if the tenant did not exist on that day.
 */
export async function createSubscription(
  { storage, clock, newId }: StoreDeps,
  { actor }: Operator,
  input: SubscriptionInput,
  requestId: string,
): Promise<Subscription> {
  const { tables } = storage;
  const { subscriptions, subscriptionPlans } = tables;
  return storage.transact(async (tx) => {
    const now = clock.now();
    const plan = await requireSound(tx, tables, input, now);
    const [row] = await tx
      .insert(subscriptions)
      .values(subscriptionRow(input, newId(), now))
      .onConflictDoNothing()
      .returning();
    if (row === undefined) throw alreadySubscribed(input.argo_code);
    const { tenantId, desde } = row;
    const since = startOfMonth(desde.slice(0, 7)).toISOString();
    await tx.insert(subscriptionPlans).values({ tenantId, subscriptionId: row.id, since, planId: plan.id });
    const detail = { argo_code: row.argoCode, plan_id: plan.id, desde };
    const entry = {
      actor,
      action: "subscription.create",
      ownerId: tenantId,
      subject: row.id,
      detail,
      requestId,
    };
    await writeAudit({ storage, newId }, tx, now, entry);
    return presentSubscription(tx, tables, row, now);
  });
}

/** Row of a new subscription. */
export const subscriptionRow = (input: SubscriptionInput, id: string, now: Date): SubscriptionRow => ({
  tenantId: input.tenant_id,
  id,
  argoCode: input.argo_code,
  desde: input.desde,
  lastDay: null,
  createdAt: now,
  cancelledAt: null,
});

/** Throws what refuses a new subscription, except an active one without an end. Returns its plan. */
export async function requireSound(
  query: ReadQuery,
  tables: PlatformTables,
  { tenant_id: tenantId, argo_code: argoCode, plan_id, desde }: SubscriptionInput,
  now: Date,
): Promise<PlanRow> {
  const { tenants, subscriptions } = tables;
  requireNearDay(desde, now);
  const [tenant] = await query
    .select({ createdAt: tenants.createdAt })
    .from(tenants)
    .where(and(eq(tenants.id, tenantId), isNull(tenants.deletedAt)));
  if (tenant === undefined) throw new AppError("not_found", "not_found", "There is no such tenant.");
  const created = dayOf(tenant.createdAt);
  if (desde < created) {
    throw new AppError(
      "unprocessable",
      "subscription_before_tenant",
      `The tenant was created on ${created}; a subscription can't begin before, on ${desde}.`,
    );
  }
  await requireOpenSince(query, tables, tenantId, desde.slice(0, 7));
  const plan = await getPlanFor(query, tables, plan_id, argoCode);
  const [ending] = await query
    .select({ lastDay: subscriptions.lastDay })
    .from(subscriptions)
    .where(
      and(
        eq(subscriptions.tenantId, tenantId),
        eq(subscriptions.argoCode, argoCode),
        gt(subscriptions.cancelledAt, now),
        gte(subscriptions.lastDay, desde),
      ),
    );
  if (ending !== undefined) throw alreadySubscribed(argoCode, ending.lastDay);
  return plan;
}

function alreadySubscribed(argoCode: string, lastDay?: string | null): AppError {
  const end = lastDay ? ` until ${lastDay}; a new one can begin after that day` : "";
  const message = `The tenant has an active subscription of ${argoCode}${end}.`;
  return new AppError("conflict", "subscription_exists", message);
}

/** A final statement must not get more lines. */
async function requireOpenSince(
  query: ReadQuery,
  { billingPeriods }: PlatformTables,
  tenantId: string,
  month: string,
): Promise<void> {
  const [closed] = await query
    .select({ month: billingPeriods.month })
    .from(billingPeriods)
    .where(
      and(
        eq(billingPeriods.tenantId, tenantId),
        ne(billingPeriods.status, "open"),
        gte(billingPeriods.month, month),
      ),
    )
    .limit(1);
  if (closed === undefined) return;
  throw new AppError(
    "conflict",
    "period_closed",
    `The tenant's period ${closed.month} is closed; a subscription can't begin before its end.`,
  );
}

function requireNearDay(day: string, now: Date): void {
  const at = parseInstant(day);
  const days = at === undefined ? undefined : (at.getTime() - Date.parse(dayOf(now))) / dayMs;
  if (days !== undefined && days >= -daysBackMax && days <= daysAheadMax) return;
  const message =
    days === undefined
      ? "must be a calendar day such as 2026-03-10"
      : `must be at most ${daysBackMax} days ago and ${daysAheadMax} days ahead`;
  throw new AppError("invalid", "invalid_request", `The body is not valid: desde ${message}.`, {
    details: { problems: [{ path: "desde", message }] },
  });
}
