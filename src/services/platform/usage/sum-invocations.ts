import { and, eq, inArray, max, type SQL, sql, sum } from "drizzle-orm";
import type { InvocationStatus } from "../../../contracts/platform/observability.ts";
import type { ReadQuery } from "../../../storage/storage.ts";
import type { UsageTables } from "./schema.ts";

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

/** The runs that are added up: those that meet all parts. */
export interface SummedInvocations {
  tenantIds?: readonly string[];
  agentIds?: readonly string[];
  month?: string;
}

/** Adds up runs by agent, month and status. Reads the sums that triggers keep, so that it takes as long with a million runs. */
export async function invocationSums(
  query: ReadQuery,
  { invocationSums: sums }: UsageTables,
  wanted: SummedInvocations,
): Promise<InvocationSum[]> {
  const { tenantId, agentId, month, status } = sums;
  return (await query
    .select({
      tenantId,
      agentId,
      month,
      status,
      invocations: total(sums.invocations),
      tokensIn: total(sums.tokensIn),
      tokensOut: total(sums.tokensOut),
      chargedMicros: total(sums.chargedMicros),
      overrunMicros: total(sums.overrunMicros),
      providerCostMicros: total(sums.providerCostMicros),
      unknownCosts: total(sums.unknownCosts),
      infraCostMicros: total(sums.infraCostMicros),
      holdMaxMicros: sql`coalesce(${max(sums.holdMaxMicros)}, 0)`.mapWith(Number),
      lastAt: max(sums.lastAt),
    })
    .from(sums)
    .where(among(sums, wanted))
    .groupBy(tenantId, agentId, month, status)
    .having(sql`sum(${sums.rows}) > 0`)) as InvocationSum[];
}

/** Condition on either table of sums. */
export const among = (
  sums: UsageTables["invocationSums"] | UsageTables["invocationModelSums"],
  { tenantIds, agentIds, month }: SummedInvocations,
): SQL | undefined =>
  and(
    tenantIds === undefined ? undefined : inArray(sums.tenantId, [...tenantIds]),
    agentIds === undefined ? undefined : inArray(sums.agentId, [...agentIds]),
    month === undefined ? undefined : eq(sums.month, month),
  );

export const total = (column: Parameters<typeof sum>[0]) => sql`coalesce(${sum(column)}, 0)`.mapWith(Number);
