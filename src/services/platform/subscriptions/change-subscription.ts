import { and, eq, gte, isNull } from "drizzle-orm";
import type { Subscription } from "../../../contracts/platform/billing/subscriptions.ts";
import { writeAudit } from "../../../control-plane/audit/write-audit.ts";
import { AppError } from "../../../kit/app-error.ts";
import { dayOf, monthAfter, monthOf } from "../../../kit/utc-calendar.ts";
import type { Query } from "../../../storage/storage.ts";
import type { Operator } from "../auth/credentials.ts";
import { getPlanFor } from "../plans/plan-commands.ts";
import { subscriptionPlan } from "../plans/plan-in-force.ts";
import type { PlatformTables, StoreDeps } from "../tables.ts";
import { findAnySubscription } from "./find-subscription.ts";
import { presentSubscription } from "./present-subscription.ts";
import type { SubscriptionRow } from "./schema.ts";

/** Schedules a plan from the next period on. Choosing the current plan cancels a scheduled change. */
export async function schedulePlan(
  deps: StoreDeps,
  { actor }: Operator,
  { id, planId, requestId }: { id: string; planId: string; requestId: string },
): Promise<Subscription> {
  const { storage, clock } = deps;
  const { tables } = storage;
  const { subscriptionPlans } = tables;
  return storage.transact(async (tx) => {
    const now = clock.now();
    const row = await requireActive(tx, deps, id);
    const plan = await getPlanFor(tx, tables, planId, row.argoCode);
    const { tenantId } = row;
    const first = row.desde.slice(0, 7);
    const fromMonth = await nextPeriod(tx, tables, row, now);
    await tx
      .delete(subscriptionPlans)
      .where(
        and(
          eq(subscriptionPlans.tenantId, tenantId),
          eq(subscriptionPlans.subscriptionId, id),
          gte(subscriptionPlans.fromMonth, fromMonth),
        ),
      );
    const inForce =
      fromMonth === first
        ? undefined
        : await subscriptionPlan(tx, tables, { tenantId, subscriptionId: id, month: fromMonth });
    if (inForce?.id !== plan.id) {
      await tx.insert(subscriptionPlans).values({ tenantId, subscriptionId: id, fromMonth, planId: plan.id });
    }
    const detail = { plan_id: plan.id, from: fromMonth };
    const entry = { actor, action: "subscription.plan", ownerId: tenantId, subject: id, detail, requestId };
    await writeAudit(deps, tx, now, entry);
    return presentSubscription(tx, tables, row, monthOf(now));
  });
}

/** Ends a subscription; today is its last day. */
export async function cancelSubscription(
  deps: StoreDeps,
  { actor }: Operator,
  { id, requestId }: { id: string; requestId: string },
): Promise<Subscription> {
  const { storage, clock } = deps;
  const { tables } = storage;
  const { subscriptions } = tables;
  return storage.transact(async (tx) => {
    const now = clock.now();
    const { tenantId } = await requireActive(tx, deps, id);
    const [row] = await tx
      .update(subscriptions)
      .set({ cancelledAt: now, lastDay: dayOf(now) })
      .where(
        and(
          eq(subscriptions.tenantId, tenantId),
          eq(subscriptions.id, id),
          isNull(subscriptions.cancelledAt),
        ),
      )
      .returning();
    if (row === undefined) throw alreadyCancelled();
    await writeAudit(deps, tx, now, {
      actor,
      action: "subscription.cancel",
      ownerId: tenantId,
      subject: id,
      requestId,
    });
    return presentSubscription(tx, tables, row, monthOf(now));
  });
}

/** First month that has not begun, neither by the calendar nor by an event, which may be dated a few minutes ahead. */
async function nextPeriod(
  tx: Query,
  { billingPeriods }: PlatformTables,
  { tenantId, id, desde }: SubscriptionRow,
  now: Date,
): Promise<string> {
  const first = desde.slice(0, 7);
  const month = first > monthOf(now) ? first : monthAfter(monthOf(now));
  const [begun] = await tx
    .select({ id: billingPeriods.id })
    .from(billingPeriods)
    .where(
      and(
        eq(billingPeriods.tenantId, tenantId),
        eq(billingPeriods.scope, id),
        eq(billingPeriods.month, month),
      ),
    );
  return begun === undefined ? month : monthAfter(month);
}

async function requireActive(tx: Query, { storage }: StoreDeps, id: string): Promise<SubscriptionRow> {
  const row = await findAnySubscription(tx, storage.tables, id);
  if (row === undefined) throw new AppError("not_found", "not_found", "There is no such subscription.");
  if (row.cancelledAt !== null) throw alreadyCancelled();
  return row;
}

const alreadyCancelled = () =>
  new AppError("conflict", "subscription_cancelled", "The subscription is already cancelled.");
