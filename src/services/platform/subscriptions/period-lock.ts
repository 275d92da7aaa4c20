import { and, eq, sql } from "drizzle-orm";
import type { NewId } from "../../../kit/id.ts";
import type { Query } from "../../../storage/storage.ts";
import type { PlatformTables } from "../tables.ts";

export interface PeriodKey {
  tenantId: string;
  /** Id of a subscription, or `base`. */
  scope: string;
  month: string;
}

export type PeriodRow = PlatformTables["billingPeriods"]["$inferSelect"];

/** Scope of the base plan's periods. */
export const baseScope = "base";

/**
 * Returns the period, created if needed, and locks it until the transaction ends. So changes to a period and its closing happen one after
 * the other.
 */
export async function lockPeriod(
  tx: Query,
  { billingPeriods }: PlatformTables,
  key: PeriodKey,
  { now, newId }: { now: Date; newId: NewId },
): Promise<PeriodRow> {
  await tx
    .insert(billingPeriods)
    .values({ ...key, id: newId(), status: "open", createdAt: now, closedAt: null, facturadoAt: null })
    .onConflictDoNothing();
  const [row] = await tx
    .update(billingPeriods)
    .set({ status: sql`${billingPeriods.status}` })
    .where(
      and(
        eq(billingPeriods.tenantId, key.tenantId),
        eq(billingPeriods.scope, key.scope),
        eq(billingPeriods.month, key.month),
      ),
    )
    .returning();
  if (row === undefined) throw new Error("The period vanished while it was locked.");
  return row;
}
