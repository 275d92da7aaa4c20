import { and, eq, gt, isNull, or, sql } from "drizzle-orm";
import { monthOf } from "../../../kit/utc-calendar.ts";
import { boundValue, equalsBound, statement } from "../../../storage/statement.ts";
import type { Query, ReadQuery } from "../../../storage/storage.ts";
import type { PlatformTables } from "../tables.ts";
import { byExpiry } from "./grant-rules.ts";

/** A grant and the credits that are left of it. */
export interface UsableGrant {
  id: string;
  expiresAt: Date | null;
  leftMicros: number;
}

/**
 * Changes the credits of grants that a tenant's runs hold, and returns their new sum. The account stays locked until the transaction ends;
 * it is locked after the counters. Undefined if the tenant was never granted credits.
 */
export async function lockGrants(
  tx: Query,
  tables: PlatformTables,
  tenantId: string,
  change = 0,
): Promise<number | undefined> {
  const [row] = await locking(tx, tables).execute({ tenantId, change });
  return row?.heldMicros;
}

const locking = statement((tx: Query, { grantAccounts }: PlatformTables) =>
  tx
    .update(grantAccounts)
    .set({
      heldMicros: sql`${grantAccounts.heldMicros} + ${boundValue(grantAccounts.heldMicros, "change")}`,
    })
    .where(eq(grantAccounts.tenantId, sql.placeholder("tenantId")))
    .returning({ heldMicros: grantAccounts.heldMicros })
    .prepare("platform_lock_grants"),
);

/** Credits of grants that a run admitted at `at` can hold. Locks the account. */
export async function lockFreeGrants(
  tx: Query,
  tables: PlatformTables,
  tenantId: string,
  at: Date,
): Promise<number> {
  const held = await lockGrants(tx, tables, tenantId);
  return held === undefined ? 0 : Math.max(0, leftOf(await usableGrants(tx, tables, tenantId, at)) - held);
}

/** Credits of unexpired grants that are not used, including those that runs hold. */
export const leftOf = (grants: readonly UsableGrant[]): number =>
  grants.reduce((sum, { leftMicros }) => sum + leftMicros, 0);

/** Credits left of a tenant's grants in the current month; 0 for another month, whose runs have used theirs. */
export async function leftInMonth(
  query: ReadQuery,
  tables: PlatformTables,
  tenantId: string,
  { period, now }: { period: string; now: Date },
): Promise<number> {
  return period === monthOf(now) ? leftOf(await usableGrants(query, tables, tenantId, now)) : 0;
}

/** Returns the unexpired grants with credits left, in the order of their use. */
export async function usableGrants(
  query: ReadQuery,
  tables: PlatformTables,
  tenantId: string,
  at: Date,
): Promise<UsableGrant[]> {
  const rows = await unexpired(query, tables).execute({ tenantId, at });
  return rows
    .map(({ id, expiresAt, creditsMicros, usedMicros }) => ({
      id,
      expiresAt,
      leftMicros: creditsMicros - usedMicros,
    }))
    .filter(({ leftMicros }) => leftMicros > 0)
    .sort(byExpiry);
}

const unexpired = statement((query: ReadQuery, { grants, grantUses }: PlatformTables) => {
  const { id, expiresAt, creditsMicros } = grants;
  return query
    .select({
      id,
      expiresAt,
      creditsMicros,
      usedMicros: sql`coalesce(sum(${grantUses.usedMicros}), 0)`.mapWith(Number),
    })
    .from(grants)
    .leftJoin(grantUses, and(eq(grantUses.tenantId, grants.tenantId), eq(grantUses.grantId, id)))
    .where(
      and(
        equalsBound(grants.tenantId, "tenantId"),
        or(isNull(expiresAt), gt(expiresAt, boundValue(expiresAt, "at"))),
      ),
    )
    .groupBy(grants.tenantId, id, expiresAt, creditsMicros)
    .prepare("platform_unexpired_grants");
});
