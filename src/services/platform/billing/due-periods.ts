import type { ReadQuery } from "../../../storage/storage.ts";
import type { PlatformTables } from "../tables.ts";
import { closingDelayMs } from "./close-period.ts";
import { baseScope, type PeriodKey } from "./period-lock.ts";
import { endOfMonth, monthAfter, monthOf } from "./utc-calendar.ts";

/** Every period that is due to be closed and is not, oldest first: those that nobody has made yet among them. */
export async function duePeriods(query: ReadQuery, tables: PlatformTables, now: Date): Promise<PeriodKey[]> {
  const { tenants, subscriptions, billingPeriods } = tables;
  const done = new Set<string>();
  for (const row of await query
    .select({
      tenantId: billingPeriods.tenantId,
      scope: billingPeriods.scope,
      month: billingPeriods.month,
      status: billingPeriods.status,
    })
    .from(billingPeriods)) {
    if (row.status !== "open") done.add(keyOf(row));
  }
  const due: PeriodKey[] = [];
  const add = (tenantId: string, scope: string, first: string, last: string) => {
    for (let month = first; month <= last && isDue(month, now); month = monthAfter(month)) {
      if (!done.has(keyOf({ tenantId, scope, month }))) due.push({ tenantId, scope, month });
    }
  };
  const current = monthOf(now);
  for (const { id, createdAt, deletedAt } of await query
    .select({ id: tenants.id, createdAt: tenants.createdAt, deletedAt: tenants.deletedAt })
    .from(tenants)) {
    add(id, baseScope, monthOf(createdAt), deletedAt === null ? current : monthOf(deletedAt));
  }
  for (const { tenantId, id, desde, lastDay } of await query
    .select({
      tenantId: subscriptions.tenantId,
      id: subscriptions.id,
      desde: subscriptions.desde,
      lastDay: subscriptions.lastDay,
    })
    .from(subscriptions)) {
    add(tenantId, id, desde.slice(0, 7), lastDay?.slice(0, 7) ?? current);
  }
  return due.sort((a, b) => (a.month < b.month ? -1 : a.month > b.month ? 1 : 0));
}

const isDue = (month: string, now: Date) => endOfMonth(month).getTime() + closingDelayMs <= now.getTime();

const keyOf = ({ tenantId, scope, month }: PeriodKey) => JSON.stringify([tenantId, scope, month]);
