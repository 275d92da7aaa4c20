import { and, eq } from "drizzle-orm";
import type { UsageEvent, UsageEventInput } from "../../../contracts/platform/subscriptions.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { TenantActor } from "../auth/credentials.ts";
import { lockPeriod } from "../billing/period-lock.ts";
import { dayOf, monthOf } from "../billing/utc-calendar.ts";
import type { PlatformDeps } from "../deps.ts";
import { subscriptionPlan } from "../plans/plan-in-force.ts";
import { readInstant } from "../read-instant.ts";
import type { PlatformTables } from "../tables.ts";
import { findSubscription } from "./find-subscription.ts";
import type { SubscriptionRow } from "./schema.ts";

/** What clocks may be ahead of ours. */
const aheadMs = 5 * 60_000;

export interface RecordedUsage {
  event: UsageEvent;
  isNew: boolean;
}

/** Counts units that were used, once for each event id; the first one of an id wins. */
export async function recordUsage(
  { storage, clock, newId }: PlatformDeps,
  { tenantId }: TenantActor,
  input: UsageEventInput,
): Promise<RecordedUsage> {
  const { tables } = storage;
  const { usageEvents } = tables;
  const at = readInstant("ocurrido_en", input.ocurrido_en) ?? clock.now();
  const subscriptionId = input.subscription_id;
  return storage.transact(
    async (tx) => {
      const now = clock.now();
      const subscription = await findSubscription(tx, tables, tenantId, subscriptionId);
      if (subscription === undefined) {
        throw new AppError("not_found", "not_found", "There is no such subscription.");
      }
      const month = monthOf(at);
      const period = await lockPeriodWithin(subscription, at, now, () =>
        lockPeriod(tx, tables, { tenantId, scope: subscriptionId, month }, { now, newId }),
      );
      const [known] = await tx
        .select()
        .from(usageEvents)
        .where(
          and(
            eq(usageEvents.tenantId, tenantId),
            eq(usageEvents.subscriptionId, subscriptionId),
            eq(usageEvents.eventId, input.event_id),
          ),
        );
      if (known !== undefined) {
        const isSame = known.cantidad === input.cantidad && known.unidad === input.unidad;
        const event = presentEvent(known);
        return { event: isSame ? event : { ...event, conflict: true }, isNew: false };
      }
      if (period.status !== "open") {
        throw new AppError("conflict", "period_closed", `The period ${month} is closed.`);
      }
      const plan = await subscriptionPlan(tx, tables, { tenantId, subscriptionId, month });
      if (!Object.hasOwn(plan.spec.unidades, input.unidad)) {
        const units = Object.keys(plan.spec.unidades).join(", ");
        throw new AppError(
          "unprocessable",
          "unit_not_in_plan",
          `The plan has no unit of that name; there is ${units === "" ? "none" : units}.`,
        );
      }
      const row = {
        tenantId,
        subscriptionId,
        eventId: input.event_id,
        unidad: input.unidad,
        cantidad: input.cantidad,
        ocurridoEn: at,
        month,
        receivedAt: now,
      };
      await tx.insert(usageEvents).values(row);
      return { event: presentEvent(row), isNew: true };
    },
    { isolation: "read committed" },
  );
}

/** Refuses what lies outside of the subscription, or in the future, before any period is made for it. */
async function lockPeriodWithin<T>(
  { desde, lastDay }: SubscriptionRow,
  at: Date,
  now: Date,
  lock: () => Promise<T>,
): Promise<T> {
  if (at.getTime() > now.getTime() + aheadMs) {
    throw new AppError("unprocessable", "event_in_future", "The event lies more than five minutes ahead.");
  }
  const day = dayOf(at);
  if (day < desde || (lastDay !== null && day > lastDay)) {
    throw new AppError(
      "unprocessable",
      "outside_subscription",
      "The subscription was not active on that day.",
    );
  }
  return lock();
}

function presentEvent(row: PlatformTables["usageEvents"]["$inferSelect"]): UsageEvent {
  return {
    event_id: row.eventId,
    subscription_id: row.subscriptionId,
    unidad: row.unidad,
    cantidad: row.cantidad,
    ocurrido_en: row.ocurridoEn.toISOString(),
    period: row.month,
    received_at: row.receivedAt.toISOString(),
  };
}
