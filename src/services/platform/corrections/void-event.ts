import { and, desc, eq, lt, or } from "drizzle-orm";
import type {
  ListedUsageEvent,
  UsageEventList,
  VoidedEventInput,
} from "../../../contracts/platform/billing/corrections.ts";
import { writeAudit } from "../../../control-plane/audit/write-audit.ts";
import { decodeCursor, encodeCursor, refuseCursor } from "../../../http/page-cursor.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { Query, ReadQuery } from "../../../storage/storage.ts";
import type { Operator } from "../auth/credentials.ts";
import { findAnySubscription } from "../subscriptions/find-subscription.ts";
import { lockPeriod } from "../subscriptions/period-lock.ts";
import type { SubscriptionRow } from "../subscriptions/schema.ts";
import { addUnits } from "../subscriptions/unit-counters.ts";
import type { PlatformTables, StoreDeps } from "../tables.ts";

type EventRow = PlatformTables["usageEvents"]["$inferSelect"];
type VoidRow = PlatformTables["voidedEvents"]["$inferSelect"];

/**
 * Voids a usage event of an open period: it no longer counts, and its id can't be used again. Throws 409 `period_closed` if its period is
 * closed, 409 `already_voided` if it is voided.
 */
export function voidEvent(
  deps: StoreDeps,
  { actor }: Operator,
  { id, input, requestId }: { id: string; input: VoidedEventInput; requestId: string },
): Promise<ListedUsageEvent> {
  const { storage, clock, newId } = deps;
  const { tables } = storage;
  return storage.transact(
    async (tx) => {
      const now = clock.now();
      const { tenantId } = await getSubscription(tx, tables, id);
      const event = await getEvent(tx, tables, { tenantId, subscriptionId: id, eventId: input.event_id });
      const { month, unidad, cantidad } = event;
      const period = await lockPeriod(tx, tables, { tenantId, scope: id, month }, { now, newId });
      if (period.status !== "open") {
        throw new AppError("conflict", "period_closed", `The period ${month} is closed.`, {
          details: { hint: "Adjust an open month, or issue a credit note for the invoice." },
        });
      }
      const row = {
        tenantId,
        subscriptionId: id,
        eventId: event.eventId,
        reason: input.reason,
        createdBy: actor,
        createdAt: now,
      };
      const [voided] = await tx.insert(tables.voidedEvents).values(row).onConflictDoNothing().returning();
      if (voided === undefined)
        throw new AppError("conflict", "already_voided", "The event is already voided.");
      await addUnits(tx, tables, { tenantId, subscriptionId: id, month }, { unidad, cantidad: -cantidad });
      await writeAudit(deps, tx, now, {
        actor,
        action: "usage_event.void",
        ownerId: tenantId,
        subject: id,
        detail: { event_id: event.eventId, unidad, cantidad, period: month, reason: input.reason },
        requestId,
      });
      return presentEvent(event, voided);
    },
    { isolation: "read committed" },
  );
}

/** Lists usage events of a subscription, latest first. Throws 404 for an unknown subscription. */
export async function listEvents(
  { storage: { read, tables } }: StoreDeps,
  id: string,
  { period, limit, cursor }: { period?: string; limit: number; cursor?: string },
): Promise<UsageEventList> {
  const { usageEvents, voidedEvents } = tables;
  const { tenantId } = await getSubscription(read, tables, id);
  const before = cursor === undefined ? undefined : placeIn(cursor);
  const rows = await read
    .select({ event: usageEvents, voided: voidedEvents })
    .from(usageEvents)
    .leftJoin(
      voidedEvents,
      and(
        eq(voidedEvents.tenantId, usageEvents.tenantId),
        eq(voidedEvents.subscriptionId, usageEvents.subscriptionId),
        eq(voidedEvents.eventId, usageEvents.eventId),
      ),
    )
    .where(
      and(
        eq(usageEvents.tenantId, tenantId),
        eq(usageEvents.subscriptionId, id),
        period === undefined ? undefined : eq(usageEvents.month, period),
        before &&
          or(
            lt(usageEvents.ocurridoEn, before.at),
            and(eq(usageEvents.ocurridoEn, before.at), lt(usageEvents.eventId, before.eventId)),
          ),
      ),
    )
    .orderBy(desc(usageEvents.ocurridoEn), desc(usageEvents.eventId))
    .limit(limit + 1);
  const last = rows.length > limit ? rows[limit - 1]?.event : undefined;
  return {
    events: rows.slice(0, limit).map(({ event, voided }) => presentEvent(event, voided)),
    ...(last && { next_cursor: encodeCursor([last.ocurridoEn.getTime(), last.eventId]) }),
  };
}

async function getSubscription(
  query: ReadQuery,
  tables: PlatformTables,
  id: string,
): Promise<SubscriptionRow> {
  const row = await findAnySubscription(query, tables, id);
  if (row === undefined) throw new AppError("not_found", "not_found", "There is no such subscription.");
  return row;
}

async function getEvent(
  tx: Query,
  { usageEvents }: PlatformTables,
  { tenantId, subscriptionId, eventId }: Pick<EventRow, "tenantId" | "subscriptionId" | "eventId">,
): Promise<EventRow> {
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
  if (row === undefined) throw new AppError("not_found", "not_found", "There is no such usage event.");
  return row;
}

function placeIn(cursor: string): { at: Date; eventId: string } {
  const [at, eventId, ...others] = decodeCursor(cursor);
  if (!Number.isSafeInteger(at) || typeof eventId !== "string" || others.length > 0) throw refuseCursor();
  const instant = new Date(at as number);
  if (Number.isNaN(instant.getTime())) throw refuseCursor();
  return { at: instant, eventId };
}

const presentEvent = (row: EventRow, voided: VoidRow | null): ListedUsageEvent => ({
  event_id: row.eventId,
  subscription_id: row.subscriptionId,
  tenant_id: row.tenantId,
  unidad: row.unidad,
  cantidad: row.cantidad,
  ocurrido_en: row.ocurridoEn.toISOString(),
  period: row.month,
  received_at: row.receivedAt.toISOString(),
  voided:
    voided === null
      ? null
      : { at: voided.createdAt.toISOString(), by: voided.createdBy, reason: voided.reason },
});
