import { and, eq, gte, lte, ne, sql } from "drizzle-orm";
import { batches } from "../../../kit/batches.ts";
import { othersTurn } from "../../../kit/concurrency/others-turn.ts";
import { endOfMonth, monthOf } from "../../../kit/utc-calendar.ts";
import type { ReadQuery } from "../../../storage/storage.ts";
import type { PeriodKey } from "../subscriptions/period-lock.ts";
import type { PlatformTables } from "../tables.ts";
import { exactSum, periodCharges } from "./period-charges.ts";
import { periodFacts } from "./period-facts.ts";
import { among, type BillingRange, openPeriods } from "./scope-months.ts";

/**
 * Returns the amounts billed to tenants over some months, in micros of USD: the charges of closed periods, and for open ones the charges
 * until today. Tenants with no amount are omitted.
 */
export async function readRevenue(
  query: ReadQuery,
  tables: PlatformTables,
  range: BillingRange,
  now: Date,
): Promise<Map<string, number>> {
  const amounts = new Map<string, number[]>();
  const closed = await closedPeriods(query, tables, range);
  for await (const { tenantId, amount } of periodAmounts(query, tables, range, { closed, now }))
    if (amount !== 0) amounts.set(tenantId, [...(amounts.get(tenantId) ?? []), amount]);
  return new Map([...amounts].map(([tenantId, each]) => [tenantId, exactSum(each)]));
}

/** Returns the same by month and tenant, of all tenants. */
export async function readMonthlyRevenue(
  query: ReadQuery,
  tables: PlatformTables,
  months: readonly string[],
  now: Date,
): Promise<Map<string, Map<string, number>>> {
  const revenue = new Map(months.map((month) => [month, new Map<string, number>()]));
  const range = { first: months.at(0) ?? "", last: months.at(-1) ?? "" };
  const closed: PeriodAmount[] = [];
  for (const month of months) {
    closed.push(...(await closedPeriods(query, tables, { first: month, last: month })));
    await othersTurn();
  }
  for await (const { tenantId, month, amount } of periodAmounts(query, tables, range, { closed, now })) {
    const ofMonth = revenue.get(month);
    ofMonth?.set(tenantId, exactSum([ofMonth.get(tenantId) ?? 0, amount]));
  }
  return revenue;
}

/** PostgreSQL answers several readers at once, and leaves a connection to others. */
const periodsAtOnce = 3;

type PeriodAmount = PeriodKey & { amount: number };

/** Yields what closed periods and, until today, open ones charge. */
async function* periodAmounts(
  query: ReadQuery,
  tables: PlatformTables,
  range: BillingRange,
  { closed, now }: { closed: readonly PeriodAmount[]; now: Date },
): AsyncGenerator<PeriodAmount> {
  yield* closed;
  const open = await openPeriods(query, tables, range, { current: monthOf(now), closed });
  for (const some of batches(open, periodsAtOnce)) {
    const charged = some.map(async (key) => {
      const end = new Date(endOfMonth(key.month).getTime() - 1);
      const until = end.getTime() < now.getTime() ? end : now;
      return { ...key, amount: periodCharges(await periodFacts(query, tables, key, until)).totalMicros };
    });
    yield* await Promise.all(charged);
    await othersTurn();
  }
}

function closedPeriods(
  query: ReadQuery,
  { billingPeriods, charges }: PlatformTables,
  { first, last, tenantIds }: BillingRange,
): Promise<PeriodAmount[]> {
  const { tenantId, scope, month, status, id } = billingPeriods;
  return query
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
}
