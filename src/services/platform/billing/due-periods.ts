import { and, count, eq, ne, sql } from "drizzle-orm";
import { endOfMonth, monthAfter, monthOf } from "../../../kit/utc-calendar.ts";
import type { ReadQuery } from "../../../storage/storage.ts";
import type { PeriodKey } from "../subscriptions/period-lock.ts";
import type { PlatformTables } from "../tables.ts";
import { closingDelayMs } from "./close-period.ts";
import { type ScopeMonths, scopeMonths } from "./scope-months.ts";

export interface DuePeriod extends PeriodKey {
  /** Null if the period's row does not exist yet. */
  id: string | null;
}

/** Returns all open periods that are due to be closed, oldest first, including those without a row. */
export async function duePeriods(query: ReadQuery, tables: PlatformTables, now: Date): Promise<DuePeriod[]> {
  const closed = await closedCounts(query, tables);
  const due = new Map<string, DuePeriod>();
  for (const scope of await scopesUntil(query, tables, monthOf(now))) {
    const months = monthsDue(scope, now);
    const { tenantId, scope: name } = scope;
    const counted = closed.get(keyOf({ tenantId, scope: name }));
    if (counted !== undefined && counted.months >= months.length && counted.last <= scope.last) continue;
    const done = await closedMonths(query, tables, scope);
    for (const month of months.filter((each) => !done.has(each))) {
      due.set(keyOf({ tenantId, scope: name, month }), { tenantId, scope: name, month, id: null });
    }
  }
  for (const key of await openPeriods(query, tables)) if (isDue(key.month, now)) due.set(keyOf(key), key);
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

async function scopesUntil(
  query: ReadQuery,
  { tenants, subscriptions }: PlatformTables,
  current: string,
): Promise<ScopeMonths[]> {
  const owners = await query
    .select({ id: tenants.id, createdAt: tenants.createdAt, deletedAt: tenants.deletedAt })
    .from(tenants);
  const subscribed = await query
    .select({
      tenantId: subscriptions.tenantId,
      id: subscriptions.id,
      desde: subscriptions.desde,
      lastDay: subscriptions.lastDay,
    })
    .from(subscriptions);
  return scopeMonths(owners, subscribed, current);
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
  return new Map(rows.map(({ months, last, ...scope }) => [keyOf(scope), { months, last }]));
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

/** Existing open periods of any month: a usage event may be dated a few minutes after its subscription's end. */
function openPeriods(
  query: ReadQuery,
  { billingPeriods: { tenantId, scope, month, id, status }, billingPeriods }: PlatformTables,
): Promise<DuePeriod[]> {
  return query.select({ tenantId, scope, month, id }).from(billingPeriods).where(eq(status, "open"));
}

const keyOf = ({ tenantId, scope, month = "" }: { tenantId: string; scope: string; month?: string }) =>
  JSON.stringify([tenantId, scope, month]);
