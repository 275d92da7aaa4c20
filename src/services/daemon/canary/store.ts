import { and, eq, sql } from "drizzle-orm";
import type { CanaryFigures, VersionFigures } from "../../../evals/canary/judge-canary.ts";
import type { Storage } from "../../../storage/storage.ts";
import type { FeedbackTables } from "../traces/feedback/schema.ts";
import type { CanaryTables } from "./schema.ts";

export type CanaryStorage = Storage<CanaryTables & FeedbackTables>;

/** An agent of a tenant and the version that is its canary. */
export interface CanaryKey {
  tenant: string;
  agent: string;
  canary: string;
}

export async function insertCanaryRun(
  { transact, tables }: CanaryStorage,
  run: CanaryTables["canaryRuns"]["$inferInsert"],
): Promise<void> {
  await transact((tx) => tx.insert(tables.canaryRuns).values(run).onConflictDoNothing());
}

/** Deletes the runs of all canaries of an agent. */
export async function deleteCanaryRuns(
  { transact, tables: { canaryRuns } }: CanaryStorage,
  { tenant, agent }: Omit<CanaryKey, "canary">,
): Promise<void> {
  await transact((tx) =>
    tx.delete(canaryRuns).where(and(eq(canaryRuns.tenant, tenant), eq(canaryRuns.agent, agent))),
  );
}

/** Adds up the runs of a canary and of the version in service beside it. */
export async function figuresOf(
  { read, tables: { canaryRuns, feedback, channelFeedback } }: CanaryStorage,
  { tenant, agent, canary }: CanaryKey,
): Promise<CanaryFigures> {
  const { isCanary, failed, costUsd } = canaryRuns;
  // A person's verdict counts before a reaction in a channel.
  const rating = sql`coalesce(${feedback.rating}, ${channelFeedback.rating})`;
  const verdictsOf = (table: typeof feedback | typeof channelFeedback) =>
    and(eq(table.tenant, canaryRuns.tenant), eq(table.traceId, canaryRuns.traceId));
  const count = (condition: ReturnType<typeof sql>) =>
    sql<number>`sum(case when ${condition} then 1 else 0 end)`.mapWith(Number);
  const rows = await read
    .select({
      isCanary,
      runs: sql<number>`count(*)`.mapWith(Number),
      errors: count(sql`${failed}`),
      rated: count(sql`${rating} is not null`),
      liked: count(sql`${rating} = 'up'`),
      priced: sql<number>`count(${costUsd})`.mapWith(Number),
      cost: sql<number>`coalesce(sum(${costUsd}), 0)`.mapWith(Number),
      costSquares: sql<number>`coalesce(sum(${costUsd} * ${costUsd}), 0)`.mapWith(Number),
    })
    .from(canaryRuns)
    .leftJoin(feedback, verdictsOf(feedback))
    .leftJoin(channelFeedback, verdictsOf(channelFeedback))
    .where(and(eq(canaryRuns.tenant, tenant), eq(canaryRuns.agent, agent), eq(canaryRuns.canary, canary)))
    .groupBy(isCanary);
  const of = (side: boolean): VersionFigures => {
    const row = rows.find((one) => one.isCanary === side);
    if (row === undefined)
      return { runs: 0, errors: 0, rated: 0, liked: 0, cost: { count: 0, sum: 0, sumOfSquares: 0 } };
    const { runs, errors, rated, liked } = row;
    return {
      ...{ runs, errors, rated, liked },
      cost: { count: row.priced, sum: row.cost, sumOfSquares: row.costSquares },
    };
  };
  return { canary: of(true), baseline: of(false) };
}
