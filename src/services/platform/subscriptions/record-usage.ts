import { and, eq } from "drizzle-orm";
import type { UsageEvent, UsageEventInput } from "../../../contracts/platform/billing/subscriptions.ts";
import { requireInstant } from "../../../http/read-instant.ts";
import { AppError } from "../../../kit/app-error.ts";
import { monthOf } from "../../../kit/utc-calendar.ts";
import type { Query } from "../../../storage/storage.ts";
import type { TenantActor } from "../auth/credentials.ts";
import { subscriptionPlan } from "../plans/plan-in-force.ts";
import type { PlatformTables, StoreDeps } from "../tables.ts";
import { findSubscription } from "./find-subscription.ts";
import { lockPeriod } from "./period-lock.ts";
import { addUnits, unitsOf } from "./unit-counters.ts";
import { instantRefusal, unitRefusal } from "./usage-event-rules.ts";

type EventRow = PlatformTables["usageEvents"]["$inferSelect"];

export interface RecordedUsage {
  event: UsageEvent;
  isNew: boolean;
}

/**
 * Counts used units, once for each event id; only the first event with an id counts. Locks the period, so an event is either in the
 * period's charges or refused because the period is closed.
 */
export function recordUsage(
  { storage, clock, newId }: StoreDeps,
  { tenantId }: TenantActor,
  input: UsageEventInput,
): Promise<RecordedUsage> {
  const { tables } = storage;
  const at = requireInstant("ocurrido_en", input.ocurrido_en);
  const subscriptionId = input.subscription_id;
  const month = monthOf(at);
  return storage.transact(
    async (tx) => {
      const now = clock.now();
      const subscription = await findSubscription(tx, tables, tenantId, subscriptionId);
      if (subscription === undefined) {
        throw new AppError("not_found", "not_found", "There is no such subscription.");
      }
      const row = { ...rowOf(input, at, now), tenantId, month };
      const first = await findEvent(tx, tables, row);
      if (first !== undefined) return repeated(tx, tables, first, input);
      const refusal = instantRefusal(subscription, at, now);
      if (refusal !== undefined) throw refusal;

      const period = await lockPeriod(tx, tables, { tenantId, scope: subscriptionId, month }, { now, newId });
      const [added] = await tx.insert(tables.usageEvents).values(row).onConflictDoNothing().returning();
      if (added === undefined) return repeated(tx, tables, await getEvent(tx, tables, row), input);
      // Throwing rolls the event back.
      if (period.status !== "open") {
        throw new AppError("conflict", "period_closed", `The period ${month} is closed.`);
      }
      const key = { tenantId, subscriptionId, month };
      await requireUnits(tx, tables, { ...key, at }, input);
      await addUnits(tx, tables, key, input);
      return { event: presentEvent(added), isNew: true };
    },
    { isolation: "read committed" },
  );
}

async function requireUnits(
  tx: Query,
  tables: PlatformTables,
  key: { tenantId: string; subscriptionId: string; month: string; at: Date },
  { unidad, cantidad }: UsageEventInput,
): Promise<void> {
  const plan = await subscriptionPlan(tx, tables, key);
  const used = await unitsOf(tx, tables, key);
  const refusal = unitRefusal(plan, unidad, used.set(unidad, (used.get(unidad) ?? 0) + cantidad));
  if (refusal !== undefined) throw refusal;
}

async function findEvent(
  tx: Query,
  { usageEvents }: PlatformTables,
  { tenantId, subscriptionId, eventId }: Pick<EventRow, "tenantId" | "subscriptionId" | "eventId">,
): Promise<EventRow | undefined> {
  const [row] = await tx
    .select()
    .from(usageEvents)
    .where(
      and(
        eq(usageEvents.tenantId, tenantId),
        eq(usageEvents.subscriptionId, subscriptionId),
        eq(usageEvents.eventId, eventId),
      ),
    );
  return row;
}

async function getEvent(tx: Query, tables: PlatformTables, row: EventRow): Promise<EventRow> {
  const existing = await findEvent(tx, tables, row);
  if (existing === undefined) throw new Error("The event vanished while its period was locked.");
  return existing;
}

async function repeated(
  tx: Query,
  { voidedEvents }: PlatformTables,
  first: EventRow,
  { cantidad, unidad }: UsageEventInput,
): Promise<RecordedUsage> {
  const { tenantId, subscriptionId, eventId } = voidedEvents;
  const [voided] = await tx
    .select({ eventId })
    .from(voidedEvents)
    .where(
      and(eq(tenantId, first.tenantId), eq(subscriptionId, first.subscriptionId), eq(eventId, first.eventId)),
    );
  const isSame = first.cantidad === cantidad && first.unidad === unidad;
  const event = {
    ...presentEvent(first),
    ...(!isSame && { conflict: true as const }),
    ...(voided !== undefined && { voided: true as const }),
  };
  return { event, isNew: false };
}

function rowOf(input: UsageEventInput, ocurridoEn: Date, receivedAt: Date) {
  const { event_id: eventId, subscription_id: subscriptionId, unidad, cantidad } = input;
  return { eventId, subscriptionId, unidad, cantidad, ocurridoEn, receivedAt };
}

function presentEvent(row: EventRow): UsageEvent {
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
