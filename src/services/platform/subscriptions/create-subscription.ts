import { and, eq, gte, isNull, ne } from "drizzle-orm";
import type { Subscription, SubscriptionInput } from "../../../contracts/platform/billing/subscriptions.ts";
import { writeAudit } from "../../../control-plane/audit/write-audit.ts";
import { AppError } from "../../../kit/app-error.ts";
import { parseInstant } from "../../../kit/parse-instant.ts";
import { dayMs, dayOf, monthOf } from "../../../kit/utc-calendar.ts";
import type { Query } from "../../../storage/storage.ts";
import type { Operator } from "../auth/credentials.ts";
import { getPlanFor } from "../plans/plan-commands.ts";
import type { PlatformTables, StoreDeps } from "../tables.ts";
import { presentSubscription } from "./present-subscription.ts";

/** Range for the first day, in days from today. Each past month is billed at once. */
const daysBackMax = 1830;
const daysAheadMax = 366;

/**
 * Subscribes a tenant to a vertical. Throws 409 `subscription_exists` if it has an active subscription of it, 409 `period_closed` if the
 * first day is in a month whose statement is final.
 */
export async function createSubscription(
  { storage, clock, newId }: StoreDeps,
  { actor }: Operator,
  input: SubscriptionInput,
  requestId: string,
): Promise<Subscription> {
  const { tables } = storage;
  const { tenants, subscriptions, subscriptionPlans } = tables;
  const tenantId = input.tenant_id;
  return storage.transact(async (tx) => {
    const now = clock.now();
    requireNearDay(input.desde, now);
    const [tenant] = await tx
      .select({ id: tenants.id })
      .from(tenants)
      .where(and(eq(tenants.id, tenantId), isNull(tenants.deletedAt)));
    if (tenant === undefined) throw new AppError("not_found", "not_found", "There is no such tenant.");
    await requireOpenSince(tx, tables, tenantId, input.desde.slice(0, 7));
    const plan = await getPlanFor(tx, tables, input.plan_id, input.argo_code);
    const [row] = await tx
      .insert(subscriptions)
      .values({
        tenantId,
        id: newId(),
        argoCode: input.argo_code,
        desde: input.desde,
        lastDay: null,
        createdAt: now,
        cancelledAt: null,
      })
      .onConflictDoNothing()
      .returning();
    if (row === undefined) {
      throw new AppError(
        "conflict",
        "subscription_exists",
        `The tenant has an active subscription of ${input.argo_code}.`,
      );
    }
    const fromMonth = input.desde.slice(0, 7);
    await tx
      .insert(subscriptionPlans)
      .values({ tenantId, subscriptionId: row.id, fromMonth, planId: plan.id });
    const detail = { argo_code: row.argoCode, plan_id: plan.id, desde: row.desde };
    const entry = {
      actor,
      action: "subscription.create",
      ownerId: tenantId,
      subject: row.id,
      detail,
      requestId,
    };
    await writeAudit({ storage, newId }, tx, now, entry);
    return presentSubscription(tx, tables, row, monthOf(now));
  });
}

/** A final statement must not get more lines. */
async function requireOpenSince(
  tx: Query,
  { billingPeriods }: PlatformTables,
  tenantId: string,
  month: string,
): Promise<void> {
  const [closed] = await tx
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
