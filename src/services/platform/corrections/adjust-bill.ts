import { and, asc, desc, eq, lt } from "drizzle-orm";
import type {
  Adjustment,
  AdjustmentInput,
  AdjustmentList,
} from "../../../contracts/platform/billing/corrections.ts";
import { writeAudit } from "../../../control-plane/audit/write-audit.ts";
import { type PageRequest, pageOf, readIdCursor } from "../../../http/paging.ts";
import { AppError } from "../../../kit/app-error.ts";
import { monthOf } from "../../../kit/utc-calendar.ts";
import type { Query, ReadQuery } from "../../../storage/storage.ts";
import type { Operator } from "../auth/credentials.ts";
import { onceByKey } from "../operator-keys/once-by-key.ts";
import { baseScope, lockPeriod } from "../subscriptions/period-lock.ts";
import type { PlatformTables, StoreDeps } from "../tables.ts";

type AdjustmentRow = PlatformTables["adjustments"]["$inferSelect"];

/** Maximum of a month's adjustments without their signs, so every sum can be represented exactly. */
const sumMax = 1_000_000_000_000_000n;

/**
 * Adds a signed charge to a tenant's month. Throws 409 `period_closed` if the month is closed, 422 `outside_tenant` for a month before the
 * tenant's creation or in the future. A deleted tenant may be adjusted, because its last month is billed too.
 */
export function adjustBill(
  deps: StoreDeps,
  { actor }: Operator,
  {
    tenantId,
    input,
    requestId,
    key,
  }: { tenantId: string; input: AdjustmentInput; requestId: string; key?: string | undefined },
): Promise<Adjustment> {
  const { storage, clock, newId } = deps;
  const { tables } = storage;
  requireAmount(input.amount_micros);
  return storage.transact(
    async (tx) => {
      const now = clock.now();
      const request = ["adjustment", tenantId, input];
      return onceByKey(tx, tables, { key, request }, now, () => adjust(tx, now));
    },
    { isolation: "read committed" },
  );

  async function adjust(tx: Query, now: Date): Promise<Adjustment> {
    const month = input.period ?? monthOf(now);
    await requireMonth(tx, tables, { tenantId, month }, now);
    const period = await lockPeriod(tx, tables, { tenantId, scope: baseScope, month }, { now, newId });
    if (period.status !== "open") {
      throw new AppError("conflict", "period_closed", `The period ${month} is closed.`, {
        details: { hint: "Adjust an open month, or issue a credit note for the invoice." },
      });
    }
    const row = {
      tenantId,
      id: newId(),
      month,
      amountMicros: input.amount_micros,
      reason: input.reason,
      reference: input.reference ?? null,
      createdBy: actor,
      createdAt: now,
    };
    await requireExact(tx, tables, row);
    await tx.insert(tables.adjustments).values(row);
    await writeAudit(deps, tx, now, {
      actor,
      action: "adjustment.create",
      ownerId: tenantId,
      subject: row.id,
      detail: { ...input, period: month },
      requestId,
    });
    return presentAdjustment(row);
  }
}

function requireAmount(micros: number): void {
  if (micros !== 0) return;
  throw new AppError("invalid", "invalid_request", "The body is not valid: amount_micros must not be 0.", {
    details: { problems: [{ path: "amount_micros", message: "must not be 0" }] },
  });
}

async function requireMonth(
  tx: Query,
  { tenants }: PlatformTables,
  { tenantId, month }: { tenantId: string; month: string },
  now: Date,
): Promise<void> {
  const [tenant] = await tx
    .select({ createdAt: tenants.createdAt })
    .from(tenants)
    .where(eq(tenants.id, tenantId));
  if (tenant === undefined) throw new AppError("not_found", "not_found", "There is no such tenant.");
  const first = monthOf(tenant.createdAt);
  if (month >= first && month <= monthOf(now)) return;
  throw new AppError(
    "unprocessable",
    "outside_tenant",
    `The period must be from ${first}, in which the tenant was created, to ${monthOf(now)}, got ${month}.`,
  );
}

async function requireExact(
  tx: Query,
  tables: PlatformTables,
  { tenantId, month, amountMicros }: AdjustmentRow,
): Promise<void> {
  const sizes = [
    amountMicros,
    ...(await adjustmentsOf(tx, tables, { tenantId, month })).map((each) => each.amountMicros),
  ];
  if (sizes.reduce((sum, size) => sum + BigInt(Math.abs(size)), 0n) <= sumMax) return;
  throw new AppError(
    "unprocessable",
    "amount_too_large",
    "With this adjustment, the month's adjustments would exceed what can be billed exactly.",
  );
}

/** Adjustments of a tenant's month, oldest first. */
export function adjustmentsOf(
  query: ReadQuery,
  { adjustments }: PlatformTables,
  { tenantId, month }: { tenantId: string; month: string },
): Promise<AdjustmentRow[]> {
  return query
    .select()
    .from(adjustments)
    .where(and(eq(adjustments.tenantId, tenantId), eq(adjustments.month, month)))
    .orderBy(asc(adjustments.id));
}

/** Lists a tenant's adjustments, newest first. Throws 404 for an unknown tenant. */
export async function listAdjustments(
  { storage: { read, tables } }: StoreDeps,
  tenantId: string,
  { limit, cursor }: PageRequest,
): Promise<AdjustmentList> {
  const { adjustments, tenants } = tables;
  const before = readIdCursor(cursor);
  const [tenant] = await read.select({ id: tenants.id }).from(tenants).where(eq(tenants.id, tenantId));
  if (tenant === undefined) throw new AppError("not_found", "not_found", "There is no such tenant.");
  const rows = await read
    .select()
    .from(adjustments)
    .where(
      and(eq(adjustments.tenantId, tenantId), before === undefined ? undefined : lt(adjustments.id, before)),
    )
    .orderBy(desc(adjustments.id))
    .limit(limit + 1);
  const { page, next } = pageOf(rows, limit, ({ id }) => id);
  return { adjustments: page.map(presentAdjustment), ...next };
}

const presentAdjustment = (row: AdjustmentRow): Adjustment => ({
  id: row.id,
  tenant_id: row.tenantId,
  period: row.month,
  amount_micros: row.amountMicros,
  reason: row.reason,
  reference: row.reference,
  created_by: row.createdBy,
  created_at: row.createdAt.toISOString(),
});
