import { and, desc, eq, lt } from "drizzle-orm";
import type {
  BillingPeriod,
  BillingPeriodList,
  OverduePeriodList,
} from "../../../contracts/platform/billing.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { PlatformDeps } from "../deps.ts";
import { dueAt, duePeriods } from "./due-periods.ts";
import { baseScope, type PeriodRow } from "./period-lock.ts";

/** A period is overdue when it is still open so long after it should have been closed. */
const graceMs = 3_600_000;

export interface PeriodFilter {
  tenant_id?: string;
  period?: string;
  status?: BillingPeriod["status"];
  limit: number;
  cursor?: string;
}

/** Periods that exist, newest first. */
export async function listPeriods(
  { storage: { read, tables } }: PlatformDeps,
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
        cursor === undefined ? undefined : lt(billingPeriods.id, decodeCursor(cursor)),
      ),
    )
    .orderBy(desc(billingPeriods.id))
    .limit(limit + 1);
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  return {
    periods: rows.slice(0, limit).map(presentPeriod),
    ...(last && { next_cursor: Buffer.from(last.id).toString("base64url") }),
  };
}

/** Periods that should have been closed more than an hour ago, oldest first; those that nobody has made yet have no id. */
export async function overduePeriods({
  storage: { read, tables },
  clock,
}: PlatformDeps): Promise<OverduePeriodList> {
  // More than the hour: at its very end nothing is overdue yet.
  const due = await duePeriods(read, tables, new Date(clock.now().getTime() - graceMs - 1));
  return {
    periods: due.map((key) => ({
      id: key.id,
      tenant_id: key.tenantId,
      subscription_id: key.scope === baseScope ? null : key.scope,
      period: key.month,
      status: "open",
      due_at: dueAt(key.month).toISOString(),
    })),
  };
}

export function presentPeriod(row: PeriodRow): BillingPeriod {
  return {
    id: row.id,
    tenant_id: row.tenantId,
    subscription_id: row.scope === baseScope ? null : row.scope,
    period: row.month,
    status: row.status,
    closed_at: row.closedAt?.toISOString() ?? null,
    facturado_at: row.facturadoAt?.toISOString() ?? null,
  };
}

function decodeCursor(cursor: string): string {
  const id = Buffer.from(cursor, "base64url").toString();
  if (/^[0-9a-f-]{36}$/.test(id)) return id;
  throw new AppError("invalid", "invalid_request", "The cursor is not one that a list gave.", {
    details: { problems: [{ path: "cursor", message: "must be a next_cursor" }] },
  });
}
