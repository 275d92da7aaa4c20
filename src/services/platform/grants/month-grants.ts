import { and, asc, eq, gt, lte } from "drizzle-orm";
import type { StatementGrant } from "../../../contracts/platform/billing/grants.ts";
import { endOfMonth, startOfMonth } from "../../../kit/utc-calendar.ts";
import type { ReadQuery } from "../../../storage/storage.ts";
import type { PeriodKey } from "../subscriptions/period-lock.ts";
import type { PlatformTables } from "../tables.ts";
import { byExpiry } from "./grant-rules.ts";

/** Credits that grants paid for the runs of a period, by plan. */
export async function grantedByPlan(
  query: ReadQuery,
  { planCredits }: PlatformTables,
  { tenantId, scope, month }: PeriodKey,
): Promise<Map<string, number>> {
  const rows = await query
    .select({ planId: planCredits.planId, grantedMicros: planCredits.grantedMicros })
    .from(planCredits)
    .where(
      and(eq(planCredits.tenantId, tenantId), eq(planCredits.month, month), eq(planCredits.scope, scope)),
    );
  return new Map(rows.map(({ planId, grantedMicros }) => [planId, grantedMicros]));
}

/** Grants of a month that have a price, oldest first. */
export async function pricedGrants(
  query: ReadQuery,
  { grants }: PlatformTables,
  { tenantId, month }: { tenantId: string; month: string },
): Promise<{ creditsMicros: number; reason: string; priceMicros: number }[]> {
  const rows = await query
    .select()
    .from(grants)
    .where(and(eq(grants.tenantId, tenantId), eq(grants.month, month), gt(grants.priceMicros, 0)))
    .orderBy(asc(grants.id));
  return rows.map(({ creditsMicros, reason, priceMicros }) => ({
    creditsMicros,
    reason,
    priceMicros: priceMicros ?? 0,
  }));
}

/** Returns the grants that a tenant could use in a month, in the order of their use, with what its runs used. */
export async function grantsOfMonth(
  query: ReadQuery,
  { grants, grantUses }: PlatformTables,
  { tenantId, month }: { tenantId: string; month: string },
  now: Date,
): Promise<StatementGrant[]> {
  const given = await query
    .select()
    .from(grants)
    .where(and(eq(grants.tenantId, tenantId), lte(grants.month, month)));
  const uses = await query
    .select()
    .from(grantUses)
    .where(and(eq(grantUses.tenantId, tenantId), lte(grantUses.month, month)));
  const usesById = Map.groupBy(uses, ({ grantId }) => grantId);
  const start = startOfMonth(month);
  const end = endOfMonth(month);
  const until = now < end ? now : end;
  const shown: StatementGrant[] = [];
  for (const row of given.sort(byExpiry)) {
    const ofGrant = usesById.get(row.id) ?? [];
    const used = sumOf(ofGrant.filter((each) => each.month === month));
    const opening = row.creditsMicros - sumOf(ofGrant.filter((each) => each.month < month));
    const wasExpired = row.expiresAt !== null && row.expiresAt <= start;
    if (opening === 0 || (wasExpired && used === 0)) continue;
    const isExpired = row.expiresAt !== null && row.expiresAt <= until;
    shown.push({
      id: row.id,
      reason: row.reason,
      created_at: row.createdAt.toISOString(),
      expires_at: row.expiresAt?.toISOString() ?? null,
      credits_micros: row.creditsMicros,
      opening_micros: opening,
      used_micros: used,
      left_micros: isExpired ? 0 : opening - used,
      expired_micros: isExpired ? opening - used : 0,
    });
  }
  return shown;
}

const sumOf = (uses: readonly { usedMicros: number }[]) =>
  uses.reduce((sum, { usedMicros }) => sum + usedMicros, 0);
