import { and, eq, gte, inArray, lte, type SQL } from "drizzle-orm";
import { monthAfter, monthOf } from "../../../kit/utc-calendar.ts";
import type { ReadQuery } from "../../../storage/storage.ts";
import { baseScope, type PeriodKey, type PeriodRow } from "../subscriptions/period-lock.ts";
import type { PlatformTables } from "../tables.ts";

/** First and last month of one base plan or subscription, inclusive. */
export interface ScopeMonths {
  tenantId: string;
  scope: string;
  first: string;
  last: string;
}

/** Months, inclusive, of some tenants; of all if undefined. */
export interface BillingRange {
  first: string;
  last: string;
  tenantIds?: readonly string[] | undefined;
}

/**
 * Returns the periods of some months that are not closed: those of base plans and subscriptions until `current`, and others that have a
 * row, because a usage event may be dated a few minutes after the end of its subscription.
 */
export async function openPeriods(
  query: ReadQuery,
  tables: PlatformTables,
  range: BillingRange,
  { current, closed }: { current: string; closed: Iterable<PeriodKey> },
): Promise<PeriodKey[]> {
  const open = new Map<string, PeriodKey>();
  for (const { tenantId, scope, ...months } of await readScopeMonths(
    query,
    tables,
    current,
    range.tenantIds,
  )) {
    const last = months.last < range.last ? months.last : range.last;
    for (let month = months.first > range.first ? months.first : range.first; month <= last; ) {
      const key = { tenantId, scope, month };
      open.set(keyOf(key), key);
      month = monthAfter(month);
    }
  }
  for (const row of await openRows(query, tables, range)) open.set(keyOf(row), row);
  for (const key of closed) open.delete(keyOf(key));
  return [...open.values()];
}

/** Months in which tenants' base plans and subscriptions are billed, until `current`. */
export async function readScopeMonths(
  query: ReadQuery,
  { tenants, subscriptions }: PlatformTables,
  current: string,
  tenantIds?: readonly string[],
): Promise<ScopeMonths[]> {
  const owners = await query
    .select({ id: tenants.id, createdAt: tenants.createdAt, deletedAt: tenants.deletedAt })
    .from(tenants)
    .where(among(tenants.id, tenantIds));
  const { tenantId, id, desde, lastDay } = subscriptions;
  const subscribed = await query
    .select({ tenantId, id, desde, lastDay })
    .from(subscriptions)
    .where(among(tenantId, tenantIds));
  return [
    ...owners.map(({ id, createdAt, deletedAt }) => ({
      tenantId: id,
      scope: baseScope,
      first: monthOf(createdAt),
      last: deletedAt === null ? current : monthOf(deletedAt),
    })),
    ...subscribed
      // A subscription cancelled before its first day has no months.
      .filter(({ desde, lastDay }) => lastDay === null || lastDay >= desde)
      .map(({ tenantId, id, desde, lastDay }) => ({
        tenantId,
        scope: id,
        first: desde.slice(0, 7),
        // The end of a subscription may be in the future.
        last: lastDay !== null && lastDay < current ? lastDay.slice(0, 7) : current,
      })),
  ];
}

/** Rows of open periods; some periods have none until they are closed. */
export function openRows(
  query: ReadQuery,
  { billingPeriods }: PlatformTables,
  range?: BillingRange,
): Promise<PeriodRow[]> {
  const { tenantId, month, status } = billingPeriods;
  const within = range && [gte(month, range.first), lte(month, range.last), among(tenantId, range.tenantIds)];
  return query
    .select()
    .from(billingPeriods)
    .where(and(eq(status, "open"), ...(within ?? [])));
}

export const among = (
  column: Parameters<typeof inArray>[0],
  ids: readonly string[] | undefined,
): SQL | undefined => (ids === undefined ? undefined : inArray(column, [...ids]));

export const keyOf = ({ tenantId, scope, month }: PeriodKey) => JSON.stringify([tenantId, scope, month]);
