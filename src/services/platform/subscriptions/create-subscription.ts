import { and, eq, isNull } from "drizzle-orm";
import type { Subscription, SubscriptionInput } from "../../../contracts/platform/subscriptions.ts";
import { AppError } from "../../../kit/app-error.ts";
import { writeAudit } from "../admin/write-audit.ts";
import type { Operator } from "../auth/credentials.ts";
import { dayOf, monthOf } from "../billing/utc-calendar.ts";
import type { PlatformDeps } from "../deps.ts";
import { getPlanFor } from "../plans/plan-commands.ts";
import { presentSubscription } from "./present-subscription.ts";

/** How far from today the first day may lie. */
const daysMax = 366;

/** Subscribes a tenant to a vertical; 409 `subscription_exists` while it has an active one of it. */
export async function createSubscription(
  { storage, clock, newId }: PlatformDeps,
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
    const entry = { actor, action: "subscription.create", tenantId, subject: row.id, detail, requestId };
    await writeAudit(tx, tables, { now, newId }, entry);
    return presentSubscription(tx, tables, row, monthOf(now));
  });
}

function requireNearDay(day: string, now: Date): void {
  const at = new Date(day);
  const isDay = !Number.isNaN(at.getTime()) && dayOf(at) === day;
  if (isDay && Math.abs(at.getTime() - now.getTime()) <= daysMax * 86_400_000) return;
  const message = isDay ? `must be at most ${daysMax} days from today` : "must be a day of the calendar";
  throw new AppError("invalid", "invalid_request", `The body is not valid: desde ${message}.`, {
    details: { problems: [{ path: "desde", message }] },
  });
}
