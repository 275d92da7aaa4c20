import { and, count, eq, ne, sql } from "drizzle-orm";
import { endOfMonth, monthAfter, monthOf } from "../../../kit/utc-calendar.ts";
import type { ReadQuery } from "../../../storage/storage.ts";
import type { PeriodKey } from "../subscriptions/period-lock.ts";
import type { PlatformTables } from "../tables.ts";
import { closingDelayMs } from "./close-period.ts";
import { keyOf, openRows, readScopeMonths, type ScopeMonths } from "./scope-months.ts";

export interface DuePeriod extends PeriodKey {
  /** Null if the period's row does not exist yet. */
  id: string | null;
}

/** Returns all open periods that are due to be closed, oldest first, including those without a row. */
export async function duePeriods(query: ReadQuery, tables: PlatformTables, now: Date): Promise<DuePeriod[]> {
  const closed = await closedCounts(query, tables);
  const due = new Map<string, DuePeriod>();
  for (const scope of await readScopeMonths(query, tables, monthOf(now))) {
    const months = monthsDue(scope, now);
    const { tenantId, scope: name } = scope;
    const counted = closed.get(scopeKeyOf(scope));
    if (counted !== undefined && counted.months >= months.length && counted.last <= scope.last) continue;
    const done = await closedMonths(query, tables, scope);
    for (const month of months.filter((each) => !done.has(each))) {
      due.set(keyOf({ tenantId, scope: name, month }), { tenantId, scope: name, month, id: null });
    }
  }
  for (const { tenantId, scope, month, id } of await openRows(query, tables)) {
    const key = { tenantId, scope, month, id };
    if (isDue(month, now)) due.set(keyOf(key), key);
  }
  return [...due.values()].sort((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1));
}

/** Orders periods by month, tenant and subscription. */
export const placeOf = ({ month, tenantId, scope }: PeriodKey): string => `${month} ${tenantId} ${scope}`;

/** Time at which a month's periods are closed. */
export const dueAt = (month: string): Date => new Date(endOfMonth(month).getTime() + closingDelayMs);

const isDue = (month: string, now: Date) => dueAt(month).getTime() <= now.getTime();

function monthsDue({ first, last }: ScopeMonths, now: Date): string[] {
  const months: string[] = [];
  for (let month = first; month <= last && isDue(month, now); month = monthAfter(month)) months.push(month);
  return months;
}

/** Returns one row per scope instead of one per month; most scopes have no missing month and need no further query. */
async function closedCounts(
  query: ReadQuery,
  { billingPeriods: { tenantId, scope, month, status }, billingPeriods }: PlatformTables,
): Promise<Map<string, { months: number; last: string }>> {
  const rows = await query
    .select({ tenantId, scope, months: count(), last: sql<string>`max(${month})` })
    .from(billingPeriods)
    .where(ne(status, "open"))
    .groupBy(tenantId, scope);
  return new Map(rows.map(({ months, last, ...scope }) => [scopeKeyOf(scope), { months, last }]));
}

async function closedMonths(
  query: ReadQuery,
  { billingPeriods }: PlatformTables,
  { tenantId, scope }: ScopeMonths,
): Promise<Set<string>> {
  const rows = await query
    .select({ month: billingPeriods.month })
    .from(billingPeriods)
    .where(
      and(
        eq(billingPeriods.tenantId, tenantId),
        eq(billingPeriods.scope, scope),
        ne(billingPeriods.status, "open"),
      ),
    );
  return new Set(rows.map(({ month }) => month));
}

const scopeKeyOf = ({ tenantId, scope }: Omit<PeriodKey, "month">) => JSON.stringify([tenantId, scope]);
