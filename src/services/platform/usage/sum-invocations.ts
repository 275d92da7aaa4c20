import { max, type SQL, sql, sum } from "drizzle-orm";
import type { ReadQuery } from "../../../storage/storage.ts";
import type { InvocationStatus } from "../runs/schema.ts";
import type { PlatformTables } from "../tables.ts";
import { invocationWindows } from "./invocation-windows.ts";

/** Sum over an agent's runs in one month with the same status. */
export interface InvocationSum {
  tenantId: string;
  agentId: string;
  month: string;
  status: InvocationStatus;
  invocations: number;
  tokensIn: number;
  tokensOut: number;
  chargedMicros: number;
  overrunMicros: number;
  providerCostMicros: number;
  /** Runs whose cost is at least partly unknown. */
  unknownCosts: number;
  infraCostMicros: number;
  /** Largest hold of one run. */
  holdMaxMicros: number;
  lastAt: Date;
}

/** Yields sums over all invocations of a scope. The same agent, month and status may occur several times, once for each window. */
export async function* invocationSums(
  query: ReadQuery,
  tables: PlatformTables,
  scope: SQL | undefined,
): AsyncGenerator<InvocationSum> {
  const { invocations } = tables;
  const { tenantId, agentId, month, status } = invocations;
  for await (const window of invocationWindows(query, tables, scope)) {
    yield* (await query
      .select({
        tenantId,
        agentId,
        month,
        status,
        invocations: total(invocations.count),
        tokensIn: total(invocations.tokensIn),
        tokensOut: total(invocations.tokensOut),
        chargedMicros: total(invocations.chargedMicros),
        overrunMicros: total(invocations.overrunMicros),
        providerCostMicros: total(invocations.providerCostMicros),
        unknownCosts: sql`sum(case when ${invocations.costUnknown} then 1 else 0 end)`.mapWith(Number),
        infraCostMicros: total(invocations.infraCostMicros),
        holdMaxMicros: sql`coalesce(${max(invocations.heldMicros)}, 0)`.mapWith(Number),
        lastAt: max(invocations.admittedAt),
      })
      .from(invocations)
      .where(window)
      .groupBy(tenantId, agentId, month, status)) as InvocationSum[];
  }
}

const total = (column: Parameters<typeof sum>[0]) => sql`coalesce(${sum(column)}, 0)`.mapWith(Number);
