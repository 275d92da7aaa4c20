import { sql } from "drizzle-orm";
import type { RevenueMonth, RevenueReport } from "../../../contracts/platform/billing/revenue.ts";
import { monthBefore, monthOf } from "../../../kit/utc-calendar.ts";
import type { ReadQuery } from "../../../storage/storage.ts";
import type { PlatformTables, StoreDeps } from "../tables.ts";
import { exactSum } from "./period-charges.ts";
import { readMonthlyRevenue } from "./read-revenue.ts";

/** Returns revenue and churn of the last `count` months, the current one included. */
export async function readRevenueReport(
  { storage: { read, tables }, clock }: StoreDeps,
  count: number,
): Promise<RevenueReport> {
  const now = clock.now();
  const current = monthOf(now);
  // The month before the first shows who is new in the first.
  const months = [current];
  while (months.length <= count) months.unshift(monthBefore(months[0] ?? current));
  const revenue = await readMonthlyRevenue(read, tables, months, now);
  const subscriptions = await subscriptionMonths(read, tables);
  const report = months.slice(1).map((period, index): RevenueMonth => {
    const paying = payingIn(revenue.get(period));
    const before = payingIn(revenue.get(months[index] ?? ""));
    const lost = [...before].filter(([id]) => !paying.has(id));
    return {
      period,
      provisional: period === current,
      revenue_micros: exactSum([...(revenue.get(period)?.values() ?? [])]),
      tenants: paying.size,
      new_tenants: [...paying.keys()].filter((id) => !before.has(id)).length,
      lost_tenants: lost.length,
      lost_revenue_micros: exactSum(lost.map(([, amount]) => amount)),
      churn: before.size === 0 ? null : lost.length / before.size,
      subscriptions_started: subscriptions.started.get(period) ?? 0,
      subscriptions_ended: subscriptions.ended.get(period) ?? 0,
    };
  });
  return { months: report };
}

const payingIn = (amounts: ReadonlyMap<string, number> = new Map()): Map<string, number> =>
  new Map([...amounts].filter(([, amount]) => amount > 0));

/** Counts subscriptions by the months of their first and last days. */
async function subscriptionMonths(query: ReadQuery, { subscriptions }: PlatformTables) {
  const { desde, lastDay } = subscriptions;
  const count = sql`count(*)`.mapWith(Number);
  const byMonth = async (column: typeof desde | typeof lastDay) => {
    const month = sql<string>`substr(${column}, 1, 7)`;
    const rows = await query
      .select({ month, count })
      .from(subscriptions)
      // A subscription cancelled before its first day has no months.
      .where(sql`${column} is not null and (${lastDay} is null or ${lastDay} >= ${desde})`)
      .groupBy(month);
    return new Map(rows.map((row) => [row.month, row.count]));
  };
  return { started: await byMonth(desde), ended: await byMonth(lastDay) };
}
