import { and, eq, inArray, lte } from "drizzle-orm";
import type { Feedback, FeedbackGiven } from "../../../../contracts/daemon/runs/feedback.ts";
import type { Query, ReadQuery, Storage } from "../../../../storage/storage.ts";
import type { FeedbackTables } from "./schema.ts";

/** The run that a verdict is about. */
export interface JudgedRun {
  tenant: string;
  traceId: string;
  startedAt: Date;
}

/** Stores a verdict in place of the one before. */
export async function saveFeedback(
  storage: Storage<FeedbackTables>,
  run: JudgedRun,
  { rating: given, ...texts }: FeedbackGiven,
  at: Date,
): Promise<void> {
  const { feedback } = storage.tables;
  const [rating, body] = [given ?? null, JSON.stringify(texts)];
  await storage.transact((tx) =>
    tx
      .insert(feedback)
      .values({ ...run, rating, body, at })
      .onConflictDoUpdate({ target: [feedback.tenant, feedback.traceId], set: { rating, body, at } }),
  );
}

/** Deletes a run's verdict. Returns false if there is none. */
export async function deleteFeedback(
  storage: Storage<FeedbackTables>,
  { tenant, traceId }: Pick<JudgedRun, "tenant" | "traceId">,
): Promise<boolean> {
  const { feedback } = storage.tables;
  const deleted = await storage.transact((tx) =>
    tx
      .delete(feedback)
      .where(and(eq(feedback.tenant, tenant), eq(feedback.traceId, traceId)))
      .returning({ traceId: feedback.traceId }),
  );
  return deleted.length > 0;
}

/** Returns the verdicts on a tenant's runs, by trace. */
export async function feedbackOf(
  read: ReadQuery,
  { feedback }: FeedbackTables,
  tenant: string,
  traceIds: readonly string[],
): Promise<Map<string, Feedback>> {
  if (traceIds.length === 0) return new Map();
  const rows = await read
    .select()
    .from(feedback)
    .where(and(eq(feedback.tenant, tenant), inArray(feedback.traceId, [...traceIds])));
  return new Map(
    rows.map(({ traceId, rating, body, at }) => [
      traceId,
      { ...(rating !== null && { rating }), ...JSON.parse(body), at: at.toISOString() },
    ]),
  );
}

/** Deletes the verdicts on runs of all tenants that started at `instant` or before. */
export async function deleteFeedbackUpTo(
  tx: Query,
  { feedback }: FeedbackTables,
  instant: Date,
): Promise<void> {
  await tx.delete(feedback).where(lte(feedback.startedAt, instant));
}
