import { and, desc, eq, inArray, lt, or, sql } from "drizzle-orm";
import type {
  BillingPeriod,
  BillingPeriodList,
  OverduePeriodList,
} from "../../../contracts/platform/billing/billing.ts";
import { decodeCursor, encodeCursor, refuseCursor } from "../../../http/page-cursor.ts";
import { batches } from "../../../kit/batches.ts";
import type { ReadQuery } from "../../../storage/storage.ts";
import { baseScope, type PeriodRow } from "../subscriptions/period-lock.ts";
import type { PlatformTables, StoreDeps } from "../tables.ts";
import { tenantNames } from "../tenants/tenant-names.ts";
import { dueAt, duePeriods, placeOf } from "./due-periods.ts";

/** A period is overdue if it is still open this long after its closing time. */
const graceMs = 3_600_000;

/** Maximum number of ids in one statement, below the parameter limits of both databases. */
const idsAtOnce = 1000;

export interface PeriodFilter {
  tenant_id?: string;
  subscription_id?: string;
  period?: string;
  status?: BillingPeriod["status"];
  limit: number;
  cursor?: string;
}

/** Lists existing periods, latest month first, newest first within a month. */
export async function listPeriods(
  { storage: { read, tables } }: StoreDeps,
  { tenant_id, subscription_id, period, status, limit, cursor }: PeriodFilter,
): Promise<BillingPeriodList> {
  const { billingPeriods } = tables;
  const rows = await read
    .select()
    .from(billingPeriods)
    .where(
      and(
        tenant_id === undefined ? undefined : eq(billingPeriods.tenantId, tenant_id),
        subscription_id === undefined ? undefined : eq(billingPeriods.scope, subscription_id),
        period === undefined ? undefined : eq(billingPeriods.month, period),
        status === undefined ? undefined : eq(billingPeriods.status, status),
        cursor === undefined ? undefined : after(tables, monthAndId(cursor)),
      ),
    )
    .orderBy(desc(billingPeriods.month), desc(billingPeriods.id))
    .limit(limit + 1);
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  return {
    periods: await presentPeriods(read, tables, rows.slice(0, limit)),
    ...(last && { next_cursor: encodeCursor([last.month, last.id]) }),
  };
}

/** Lists periods that should have been closed more than an hour ago, oldest first. Periods without a row have no id. */
export async function overduePeriods(
  { storage: { read, tables }, clock }: StoreDeps,
  { limit, cursor }: { limit: number; cursor?: string },
): Promise<OverduePeriodList> {
  // One millisecond more than the hour, because nothing is overdue at its very end.
  const all = await duePeriods(read, tables, new Date(clock.now().getTime() - graceMs - 1));
  const after = cursor === undefined ? "" : placeIn(cursor);
  const left = all.filter((period) => placeOf(period) > after);
  const due = left.slice(0, limit);
  const last = left.length > limit ? due.at(-1) : undefined;
  const names = await tenantNames(
    read,
    tables,
    due.map(({ tenantId }) => tenantId),
  );
  const codes = await argoCodes(read, tables, due);
  return {
    periods: due.map((key) => ({
      id: key.id,
      tenant_id: key.tenantId,
      tenant_name: names.get(key.tenantId) ?? key.tenantId,
      subscription_id: key.scope === baseScope ? null : key.scope,
      argo_code: codes.get(key.scope) ?? null,
      period: key.month,
      status: "open",
      due_at: dueAt(key.month).toISOString(),
    })),
    ...(last && { next_cursor: encodeCursor([placeOf(last)]) }),
  };
}

function placeIn(cursor: string): string {
  const [place, ...others] = decodeCursor(cursor);
  if (typeof place !== "string" || others.length > 0) throw refuseCursor();
  return place;
}

/** Converts periods, with their tenants' names, their verticals and the sums charged. */
export async function presentPeriods(
  query: ReadQuery,
  tables: PlatformTables,
  rows: readonly PeriodRow[],
): Promise<BillingPeriod[]> {
  const names = await tenantNames(
    query,
    tables,
    rows.map(({ tenantId }) => tenantId),
  );
  const codes = await argoCodes(query, tables, rows);
  const amounts = await chargedIn(query, tables, rows);
  return rows.map((row) => ({
    id: row.id,
    tenant_id: row.tenantId,
    tenant_name: names.get(row.tenantId) ?? row.tenantId,
    subscription_id: row.scope === baseScope ? null : row.scope,
    argo_code: codes.get(row.scope) ?? null,
    period: row.month,
    status: row.status,
    amount_micros: row.status === "open" ? null : (amounts.get(row.id) ?? 0),
    closed_at: row.closedAt?.toISOString() ?? null,
    facturado_at: row.facturadoAt?.toISOString() ?? null,
  }));
}

/** Returns the vertical of each subscription among these periods. */
async function argoCodes(
  query: ReadQuery,
  { subscriptions }: PlatformTables,
  periods: readonly { scope: string }[],
): Promise<Map<string, string>> {
  const ids = [...new Set(periods.map(({ scope }) => scope))].filter((scope) => scope !== baseScope);
  const codes = new Map<string, string>();
  for (const some of batches(ids, idsAtOnce)) {
    const rows = await query
      .select({ id: subscriptions.id, argoCode: subscriptions.argoCode })
      .from(subscriptions)
      .where(inArray(subscriptions.id, some));
    for (const { id, argoCode } of rows) codes.set(id, argoCode);
  }
  return codes;
}

/** Returns the sum of each period's charges. */
async function chargedIn(
  query: ReadQuery,
  { charges }: PlatformTables,
  periods: readonly PeriodRow[],
): Promise<Map<string, number>> {
  if (periods.length === 0) return new Map();
  const tenantIds = [...new Set(periods.map(({ tenantId }) => tenantId))];
  const rows = await query
    .select({ id: charges.periodId, amount: sql`sum(${charges.amountMicros})`.mapWith(Number) })
    .from(charges)
    .where(
      and(
        inArray(charges.tenantId, tenantIds),
        inArray(
          charges.periodId,
          periods.map(({ id }) => id),
        ),
      ),
    )
    .groupBy(charges.periodId);
  return new Map(rows.map(({ id, amount }) => [id, amount]));
}

function after({ billingPeriods }: PlatformTables, { month, id }: { month: string; id: string }) {
  return or(lt(billingPeriods.month, month), and(eq(billingPeriods.month, month), lt(billingPeriods.id, id)));
}

function monthAndId(cursor: string): { month: string; id: string } {
  const [month, id, ...others] = decodeCursor(cursor);
  if (typeof month !== "string" || typeof id !== "string" || others.length > 0) throw refuseCursor();
  return { month, id };
}
