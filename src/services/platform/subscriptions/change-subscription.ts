import { and, eq, gte, isNull } from "drizzle-orm";
import type { ChangeInstant, Subscription } from "../../../contracts/platform/billing/subscriptions.ts";
import { writeAudit } from "../../../control-plane/audit/write-audit.ts";
import { AppError } from "../../../kit/app-error.ts";
import {
  dayOf,
  endOfMonth,
  lastDayOf,
  monthAfter,
  monthOf,
  startOfMonth,
} from "../../../kit/utc-calendar.ts";
import type { Query } from "../../../storage/storage.ts";
import type { Operator } from "../auth/credentials.ts";
import { giveNotice } from "../notices/give-notice.ts";
import { getPlanFor } from "../plans/plan-commands.ts";
import { subscriptionPlan } from "../plans/plan-in-force.ts";
import type { PlatformTables, StoreDeps } from "../tables.ts";
import { findAnySubscription } from "./find-subscription.ts";
import { presentSubscription } from "./present-subscription.ts";
import { activeAt, isCancelled, type SubscriptionRow } from "./schema.ts";

/**
 * Changes a subscription's plan, now or from the next period on, and drops a change that was scheduled. So choosing the current plan
 * cancels a scheduled change. Throws 409 `subscription_cancelled` if the subscription has ended by then.
 */
export async function changePlan(
  deps: StoreDeps,
  { actor }: Operator,
  { id, planId, at, requestId }: { id: string; planId: string; at: ChangeInstant; requestId: string },
): Promise<Subscription> {
  const { storage, clock } = deps;
  const { tables } = storage;
  const { subscriptionPlans } = tables;
  return storage.transact(async (tx) => {
    const now = clock.now();
    const row = await requireActive(tx, deps, id, now);
    const plan = await getPlanFor(tx, tables, planId, row.argoCode);
    const { tenantId } = row;
    const first = startOfMonth(row.desde.slice(0, 7));
    const from = at === "period_end" ? await nextPeriod(tx, tables, row, now) : now < first ? first : now;
    if (row.lastDay !== null && dayOf(from) > row.lastDay) throw alreadyCancelled(row);
    await tx
      .delete(subscriptionPlans)
      .where(
        and(
          eq(subscriptionPlans.tenantId, tenantId),
          eq(subscriptionPlans.subscriptionId, id),
          gte(subscriptionPlans.since, sinceOf(from)),
        ),
      );
    const inForce =
      from <= first
        ? undefined
        : await subscriptionPlan(tx, tables, { tenantId, subscriptionId: id, at: from });
    if (inForce?.id !== plan.id) {
      const since = from.toISOString();
      await tx.insert(subscriptionPlans).values({ tenantId, subscriptionId: id, since, planId: plan.id });
    }
    const detail = { plan_id: plan.id, from: from.toISOString() };
    const entry = { actor, action: "subscription.plan", ownerId: tenantId, subject: id, detail, requestId };
    await writeAudit(deps, tx, now, entry);
    return presentSubscription(tx, tables, row, now);
  });
}

/** Smallest stored `since` of an instant: a row may have the month alone. */
function sinceOf(at: Date): string {
  const month = monthOf(at);
  return at.getTime() === startOfMonth(month).getTime() ? month : at.toISOString();
}

/** Ends a subscription: today is its last day, or the last day of its period. */
export async function cancelSubscription(
  deps: StoreDeps,
  { actor }: Operator,
  { id, at, requestId }: { id: string; at: ChangeInstant; requestId: string },
): Promise<Subscription> {
  const { storage, clock } = deps;
  const { tables } = storage;
  const { subscriptions } = tables;
  return storage.transact(async (tx) => {
    const now = clock.now();
    const { tenantId, desde, ...present } = await requireActive(tx, deps, id, now);
    // A subscription that has not begun ends with its first period.
    const month = dayOf(now) < desde ? desde.slice(0, 7) : monthOf(now);
    const end =
      at === "now"
        ? { cancelledAt: now, lastDay: dayOf(now) }
        : { cancelledAt: endOfMonth(month), lastDay: lastDayOf(month) };
    const [row] = await tx
      .update(subscriptions)
      .set(end)
      .where(
        and(
          eq(subscriptions.tenantId, tenantId),
          eq(subscriptions.id, id),
          at === "now" ? activeAt(tables, now) : isNull(subscriptions.cancelledAt),
        ),
      )
      .returning();
    if (row === undefined) throw alreadyCancelled(present);
    await writeAudit(deps, tx, now, {
      actor,
      action: "subscription.cancel",
      ownerId: tenantId,
      subject: id,
      detail: { last_day: row.lastDay },
      requestId,
    });
    await giveNotice(
      tx,
      tables,
      {
        tenantId,
        event: "subscription.ending",
        occasion: `${id} ${row.lastDay}`,
        text: `The subscription of ${row.argoCode} ends with ${row.lastDay}.`,
        data: { subscription_id: id, argo_code: row.argoCode, last_day: row.lastDay },
      },
      now,
    );
    return presentSubscription(tx, tables, row, now);
  });
}

/** Start of the first month that has not begun, neither by the calendar nor by an event, which may be dated a few minutes ahead. */
async function nextPeriod(
  tx: Query,
  { billingPeriods }: PlatformTables,
  { tenantId, id, desde }: SubscriptionRow,
  now: Date,
): Promise<Date> {
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
  return startOfMonth(begun === undefined ? month : monthAfter(month));
}

async function requireActive(
  tx: Query,
  { storage }: StoreDeps,
  id: string,
  now: Date,
): Promise<SubscriptionRow> {
  const row = await findAnySubscription(tx, storage.tables, id);
  if (row === undefined) throw new AppError("not_found", "not_found", "There is no such subscription.");
  if (isCancelled(row, now)) throw alreadyCancelled(row);
  return row;
}

const alreadyCancelled = ({ lastDay }: Pick<SubscriptionRow, "lastDay">) =>
  new AppError(
    "conflict",
    "subscription_cancelled",
    `The subscription is already cancelled; its last day is ${lastDay}.`,
  );
