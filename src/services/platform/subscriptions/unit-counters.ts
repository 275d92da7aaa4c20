import { and, asc, eq, gte, lt, notExists, sql } from "drizzle-orm";
import type { Query, ReadQuery } from "../../../storage/storage.ts";
import type { PlatformTables } from "../tables.ts";

interface UnitsKey {
  tenantId: string;
  subscriptionId: string;
  /** `YYYY-MM`. */
  month: string;
}

/** Number of used units in a month, by unit name. */
export async function unitsOf(
  query: ReadQuery,
  { usageCounters }: PlatformTables,
  { tenantId, subscriptionId, month }: UnitsKey,
): Promise<Map<string, number>> {
  const rows = await query
    .select()
    .from(usageCounters)
    .where(
      and(
        eq(usageCounters.tenantId, tenantId),
        eq(usageCounters.subscriptionId, subscriptionId),
        eq(usageCounters.month, month),
      ),
    )
    .orderBy(asc(usageCounters.unidad));
  return new Map(rows.map(({ unidad, cantidad }) => [unidad, cantidad]));
}

/** Like `unitsOf`, for the events that count from an instant until another within the month. */
export async function unitsBetween(
  query: ReadQuery,
  { usageEvents, voidedEvents }: PlatformTables,
  { tenantId, subscriptionId, month }: UnitsKey,
  { from, to }: { from: Date; to: Date },
): Promise<Map<string, number>> {
  const rows = await query
    .select({ unidad: usageEvents.unidad, cantidad: sql`sum(${usageEvents.cantidad})`.mapWith(Number) })
    .from(usageEvents)
    .where(
      and(
        eq(usageEvents.tenantId, tenantId),
        eq(usageEvents.subscriptionId, subscriptionId),
        eq(usageEvents.month, month),
        gte(usageEvents.ocurridoEn, from),
        lt(usageEvents.ocurridoEn, to),
        notExists(
          query
            .select({ eventId: voidedEvents.eventId })
            .from(voidedEvents)
            .where(
              and(
                eq(voidedEvents.tenantId, usageEvents.tenantId),
                eq(voidedEvents.subscriptionId, usageEvents.subscriptionId),
                eq(voidedEvents.eventId, usageEvents.eventId),
              ),
            ),
        ),
      ),
    )
    .groupBy(usageEvents.unidad)
    .orderBy(asc(usageEvents.unidad));
  return new Map(rows.map(({ unidad, cantidad }) => [unidad, cantidad]));
}

/** Counts units in the transaction of their event. */
export async function addUnits(
  tx: Query,
  { usageCounters }: PlatformTables,
  key: UnitsKey,
  { unidad, cantidad }: { unidad: string; cantidad: number },
): Promise<void> {
  await tx
    .insert(usageCounters)
    .values({ ...key, unidad, cantidad })
    .onConflictDoUpdate({
      target: [
        usageCounters.tenantId,
        usageCounters.subscriptionId,
        usageCounters.month,
        usageCounters.unidad,
      ],
      set: { cantidad: sql`${usageCounters.cantidad} + ${cantidad}` },
    });
}
