import { and, eq, sql } from "drizzle-orm";
import { statement } from "../../../storage/statement.ts";
import type { Query } from "../../../storage/storage.ts";
import type { PlatformTables } from "../tables.ts";

/** Credits charged and held in a month. */
export interface CreditCounter {
  chargedMicros: number;
  heldMicros: number;
  /** Parts of both that grants pay. */
  grantedMicros: number;
  heldGrantMicros: number;
  cancelledCostMicros: number;
}

export interface CounterKey {
  tenantId: string;
  /** `tenant`, or the id of a subscription. */
  scope: string;
  month: string;
}

/** Scope of the counter that all runs of a tenant share. */
export const tenantScope = "tenant";

export const emptyCounter: CreditCounter = {
  chargedMicros: 0,
  heldMicros: 0,
  grantedMicros: 0,
  heldGrantMicros: 0,
  cancelledCostMicros: 0,
};

/**
 * Adds to a counter and returns its new values. The row stays locked until the transaction ends. Every decision based on a counter begins
 * with this statement, so runs that share a counter are handled one after the other.
 */
export async function addToCounter(
  tx: Query,
  tables: PlatformTables,
  key: CounterKey,
  change: Partial<CreditCounter> = {},
): Promise<CreditCounter> {
  const added = { ...emptyCounter, ...change };
  const [row] = await addition(tx, tables).execute({ ...key, ...added });
  if (row === undefined) throw new Error("The counter answered nothing.");
  return row;
}

const addition = statement((tx: Query, { creditCounters }: PlatformTables) => {
  const { chargedMicros, heldMicros, grantedMicros, heldGrantMicros, cancelledCostMicros } = creditCounters;
  const { placeholder } = sql;
  return tx
    .insert(creditCounters)
    .values({
      tenantId: placeholder("tenantId"),
      scope: placeholder("scope"),
      month: placeholder("month"),
      chargedMicros: placeholder("chargedMicros"),
      heldMicros: placeholder("heldMicros"),
      grantedMicros: placeholder("grantedMicros"),
      heldGrantMicros: placeholder("heldGrantMicros"),
      cancelledCostMicros: placeholder("cancelledCostMicros"),
    })
    .onConflictDoUpdate({
      target: [creditCounters.tenantId, creditCounters.scope, creditCounters.month],
      set: {
        chargedMicros: sql`${chargedMicros} + excluded.charged_micros`,
        heldMicros: sql`${heldMicros} + excluded.held_micros`,
        grantedMicros: sql`${grantedMicros} + excluded.granted_micros`,
        heldGrantMicros: sql`${heldGrantMicros} + excluded.held_grant_micros`,
        cancelledCostMicros: sql`${cancelledCostMicros} + excluded.cancelled_cost_micros`,
      },
    })
    .returning({ chargedMicros, heldMicros, grantedMicros, heldGrantMicros, cancelledCostMicros })
    .prepare("platform_add_to_counter");
});

/** Credits left under a cap, besides those of grants; undefined without a cap. Negative if the cap was lowered. */
export function remainingOf(
  capMicros: number | null,
  { chargedMicros, heldMicros, grantedMicros, heldGrantMicros }: CreditCounter,
): number | undefined {
  return capMicros === null
    ? undefined
    : capMicros - (chargedMicros - grantedMicros) - (heldMicros - heldGrantMicros);
}

/** Counters of a run: the tenant's, and that of its agent's subscription. The order is the same everywhere, to avoid deadlocks. */
export function counterKeys(tenantId: string, subscriptionId: string | null, month: string): CounterKey[] {
  const scopes = subscriptionId === null ? [tenantScope] : [tenantScope, subscriptionId];
  return scopes.map((scope) => ({ tenantId, scope, month }));
}

/** Returns the counters of a tenant's scopes in a month, without locking them. */
export async function readCounters(
  query: Pick<Query, "select">,
  { creditCounters }: PlatformTables,
  tenantId: string,
  month: string,
): Promise<Map<string, CreditCounter>> {
  const rows = await query
    .select()
    .from(creditCounters)
    .where(and(eq(creditCounters.tenantId, tenantId), eq(creditCounters.month, month)));
  return new Map(rows.map((row) => [row.scope, row]));
}
