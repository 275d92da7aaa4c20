import { and, eq, inArray, type SQL, sql } from "drizzle-orm";
import type { FeedbackSource, RunFeedback } from "../../../contracts/daemon/runs/feedback.ts";
import type { Query, ReadQuery } from "../../../storage/storage.ts";
import type { InvocationRow } from "../runs/schema.ts";
import type { PlatformTables } from "../tables.ts";

/** A verdict as it is stored. */
export type FeedbackRow = PlatformTables["runFeedback"]["$inferSelect"];

/** Filter of runs by their verdicts. */
export interface FeedbackFilter {
  feedback?: "up" | "down" | "any";
  /** With `feedback`: only verdicts of this source. */
  feedback_source?: FeedbackSource;
}

export async function saveFeedback(
  tx: Query,
  { runFeedback: table }: PlatformTables,
  row: FeedbackRow,
): Promise<void> {
  const { rating, body, at } = row;
  await tx
    .insert(table)
    .values(row)
    .onConflictDoUpdate({
      target: [table.tenantId, table.invocationId, table.source],
      set: { rating, body, at },
    });
}

/** Deletes a run's verdict of one source. Returns false if there is none. */
export async function dropFeedback(
  tx: Query,
  { runFeedback: table }: PlatformTables,
  { tenantId, invocationId, source }: Pick<FeedbackRow, "tenantId" | "invocationId" | "source">,
): Promise<boolean> {
  const dropped = await tx
    .delete(table)
    .where(and(eq(table.tenantId, tenantId), eq(table.invocationId, invocationId), eq(table.source, source)))
    .returning({ id: table.invocationId });
  return dropped.length > 0;
}

type Judged = Pick<InvocationRow, "tenantId" | "id">;

/** Returns the verdicts on runs, by `tenant id/invocation id`. */
export async function feedbackOf(
  read: ReadQuery,
  { runFeedback: table }: PlatformTables,
  runs: readonly Judged[],
): Promise<(run: Judged) => RunFeedback> {
  const given = new Map<string, RunFeedback>();
  const keyOf = (tenantId: string, id: string) => `${tenantId}/${id}`;
  for (const [tenantId, ofTenant] of Map.groupBy(runs, (run) => run.tenantId)) {
    const ids = ofTenant.map(({ id }) => id);
    const rows = await read
      .select()
      .from(table)
      .where(and(eq(table.tenantId, tenantId), inArray(table.invocationId, ids)));
    for (const row of rows) {
      const key = keyOf(tenantId, row.invocationId);
      given.set(key, { ...given.get(key), ...presentFeedback(row) });
    }
  }
  return ({ tenantId, id }) => given.get(keyOf(tenantId, id)) ?? {};
}

const presentFeedback = ({ source, rating, body, at }: FeedbackRow): RunFeedback => {
  const verdict = { ...(rating !== null && { rating }), ...JSON.parse(body), at: at.toISOString() };
  return source === "person" ? { feedback: verdict } : { channel_feedback: verdict };
};

/** Condition for the runs that the filter includes; undefined for all. */
export function isJudged(
  { invocations, runFeedback: table }: PlatformTables,
  { feedback: wanted, feedback_source: source }: FeedbackFilter,
): SQL | undefined {
  if (wanted === undefined) return undefined;
  const conditions = and(
    eq(table.tenantId, invocations.tenantId),
    eq(table.invocationId, invocations.id),
    source === undefined ? undefined : eq(table.source, source),
    wanted === "any" ? undefined : eq(table.rating, wanted),
  );
  return sql`exists (select 1 from ${table} where ${conditions})`;
}
