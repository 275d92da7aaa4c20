import { and, desc, eq, inArray, lt, or, sql } from "drizzle-orm";
import type {
  BillingPeriod,
  BillingPeriodList,
  OverduePeriodList,
} from "../../../contracts/platform/billing/billing.ts";
import { AppError } from "../../../kit/app-error.ts";
import { batches } from "../../../kit/batches.ts";
import type { ReadQuery } from "../../../storage/storage.ts";
import { baseScope, type PeriodRow } from "../subscriptions/period-lock.ts";
import type { PlatformTables, StoreDeps } from "../tables.ts";
import { tenantNames } from "../tenants/tenant-names.ts";
import { dueAt, duePeriods } from "./due-periods.ts";

/** A period is overdue if it is still open this long after its closing time. */
const graceMs = 3_600_000;

/** Maximum number of ids in one statement, below the parameter limits of both databases. */
const idsAtOnce = 1000;

export interface PeriodFilter {
  tenant_id?: string;
  period?: string;
  status?: BillingPeriod["status"];
  limit: number;
  cursor?: string;
}

/** Lists existing periods, latest month first, newest first within a month. */
export async function listPeriods(
  { storage: { read, tables } }: StoreDeps,
  { tenant_id, period, status, limit, cursor }: PeriodFilter,
): Promise<BillingPeriodList> {
  const { billingPeriods } = tables;
  const rows = await read
    .select()
    .from(billingPeriods)
    .where(
      and(
        tenant_id === undefined ? undefined : eq(billingPeriods.tenantId, tenant_id),
        period === undefined ? undefined : eq(billingPeriods.month, period),
        status === undefined ? undefined : eq(billingPeriods.status, status),
        cursor === undefined ? undefined : after(tables, decodeCursor(cursor)),
      ),
    )
    .orderBy(desc(billingPeriods.month), desc(billingPeriods.id))
    .limit(limit + 1);
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  return {
    periods: await presentPeriods(read, tables, rows.slice(0, limit)),
    ...(last && { next_cursor: Buffer.from(`${last.month} ${last.id}`).toString("base64url") }),
  };
}

/** Lists periods that should have been closed more than an hour ago, oldest first. Periods without a row have no id. */
export async function overduePeriods({
  storage: { read, tables },
  clock,
}: StoreDeps): Promise<OverduePeriodList> {
  // One millisecond more than the hour, because nothing is overdue at its very end.
  const due = await duePeriods(read, tables, new Date(clock.now().getTime() - graceMs - 1));
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
  };
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

function decodeCursor(cursor: string): { month: string; id: string } {
  const [, month, id] =
    /^([0-9]{4}-[0-9]{2}) ([0-9a-f-]{36})$/.exec(Buffer.from(cursor, "base64url").toString()) ?? [];
  if (month !== undefined && id !== undefined) return { month, id };
  throw new AppError(
    "invalid",
    "invalid_request",
    "The cursor is not valid. Use next_cursor of the previous page.",
    {
      details: { problems: [{ path: "cursor", message: "must be a next_cursor" }] },
    },
  );
}
