import { and, eq, gte, inArray, lte, ne, type SQL, sql } from "drizzle-orm";
import { othersTurn } from "../../../kit/concurrency/others-turn.ts";
import { endOfMonth, monthAfter, monthOf } from "../../../kit/utc-calendar.ts";
import type { ReadQuery } from "../../../storage/storage.ts";
import type { PeriodKey } from "../subscriptions/period-lock.ts";
import type { PlatformTables } from "../tables.ts";
import { exactSum, periodCharges } from "./period-charges.ts";
import { periodFacts } from "./period-facts.ts";
import { scopeMonths } from "./scope-months.ts";

interface RevenueScope {
  /** First and last month, inclusive. */
  first: string;
  last: string;
  /** All tenants if undefined. */
  tenantIds?: readonly string[];
}

/**
 * Returns the amounts billed to tenants over some months, in micros of USD: the charges of closed periods, and for open ones the charges
 * until today. Tenants with no amount are omitted.
 */
export async function readRevenue(
  query: ReadQuery,
  tables: PlatformTables,
  scope: RevenueScope,
  now: Date,
): Promise<Map<string, number>> {
  const amounts = new Map<string, number[]>();
  const add = (tenantId: string, amount: number) => {
    if (amount !== 0) amounts.set(tenantId, [...(amounts.get(tenantId) ?? []), amount]);
  };
  const closed = await closedPeriods(query, tables, scope);
  for (const { tenantId, amount } of closed.values()) add(tenantId, amount);
  for (const key of await openPeriods(query, tables, scope, { closed, now })) {
    const end = new Date(endOfMonth(key.month).getTime() - 1);
    const until = end.getTime() < now.getTime() ? end : now;
    add(key.tenantId, periodCharges(await periodFacts(query, tables, key, until)).totalMicros);
    await othersTurn();
  }
  return new Map([...amounts].map(([tenantId, each]) => [tenantId, exactSum(each)]));
}

const keyOf = ({ tenantId, scope, month }: PeriodKey) => `${tenantId} ${scope} ${month}`;

async function closedPeriods(
  query: ReadQuery,
  { billingPeriods, charges }: PlatformTables,
  { first, last, tenantIds }: RevenueScope,
): Promise<Map<string, { tenantId: string; amount: number }>> {
  const { tenantId, scope, month, status, id } = billingPeriods;
  const rows = await query
    .select({
      tenantId,
      scope,
      month,
      amount: sql`coalesce(sum(${charges.amountMicros}), 0)`.mapWith(Number),
    })
    .from(billingPeriods)
    .leftJoin(charges, and(eq(charges.tenantId, tenantId), eq(charges.periodId, id)))
    .where(and(ne(status, "open"), gte(month, first), lte(month, last), among(tenantId, tenantIds)))
    .groupBy(tenantId, scope, month);
  return new Map(rows.map((row) => [keyOf(row), row]));
}

/** Each month of each base plan and subscription that has begun and is not closed. */
async function openPeriods(
  query: ReadQuery,
  tables: PlatformTables,
  { first, last, tenantIds }: RevenueScope,
  { closed, now }: { closed: ReadonlyMap<string, unknown>; now: Date },
): Promise<PeriodKey[]> {
  const { tenants, subscriptions } = tables;
  const owners = await query
    .select({ id: tenants.id, createdAt: tenants.createdAt, deletedAt: tenants.deletedAt })
    .from(tenants)
    .where(among(tenants.id, tenantIds));
  const subscribed = await query
    .select({
      tenantId: subscriptions.tenantId,
      id: subscriptions.id,
      desde: subscriptions.desde,
      lastDay: subscriptions.lastDay,
    })
    .from(subscriptions)
    .where(among(subscriptions.tenantId, tenantIds));
  const open: PeriodKey[] = [];
  for (const scope of scopeMonths(owners, subscribed, monthOf(now))) {
    const end = scope.last < last ? scope.last : last;
    for (let month = scope.first > first ? scope.first : first; month <= end; month = monthAfter(month)) {
      const key = { tenantId: scope.tenantId, scope: scope.scope, month };
      if (!closed.has(keyOf(key))) open.push(key);
    }
  }
  return open;
}

const among = (column: Parameters<typeof inArray>[0], ids: readonly string[] | undefined): SQL | undefined =>
  ids === undefined ? undefined : inArray(column, [...ids]);
