import { and, eq, inArray } from "drizzle-orm";
import type {
  ChannelFeedbackGiven,
  FeedbackGiven,
  FeedbackSource,
  RunFeedback,
} from "../../../../contracts/daemon/runs/feedback.ts";
import type { ReadQuery, Storage } from "../../../../storage/storage.ts";
import type { FeedbackTables } from "./schema.ts";

/** The run that a verdict is about. */
export interface FeedbackRun {
  tenant: string;
  traceId: string;
  startedAt: Date;
}

/** Stores a verdict in place of the one before. */
export async function saveFeedback(
  storage: Storage<FeedbackTables>,
  run: FeedbackRun,
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

/** Stores the verdict of a run's users in place of the one before. */
export async function saveChannelFeedback(
  storage: Storage<FeedbackTables>,
  run: FeedbackRun,
  { at, ...given }: ChannelFeedbackGiven,
): Promise<void> {
  const { channelFeedback: table } = storage.tables;
  const set = { ...given, at: new Date(at) };
  await storage.transact((tx) =>
    tx
      .insert(table)
      .values({ ...run, ...set })
      .onConflictDoUpdate({ target: [table.tenant, table.traceId], set }),
  );
}

/** Deletes a run's verdict of one source. Returns false if there is none. */
export async function deleteFeedback(
  storage: Storage<FeedbackTables>,
  { tenant, traceId }: Pick<FeedbackRun, "tenant" | "traceId">,
  source: FeedbackSource,
): Promise<boolean> {
  const table = storage.tables[source === "person" ? "feedback" : "channelFeedback"];
  const deleted = await storage.transact((tx) =>
    tx
      .delete(table)
      .where(and(eq(table.tenant, tenant), eq(table.traceId, traceId)))
      .returning({ traceId: table.traceId }),
  );
  return deleted.length > 0;
}

/** Returns the verdicts on a tenant's runs, by trace. */
export async function feedbackOf(
  read: ReadQuery,
  { feedback, channelFeedback }: FeedbackTables,
  tenant: string,
  traceIds: readonly string[],
): Promise<Map<string, RunFeedback>> {
  const given = new Map<string, RunFeedback>();
  if (traceIds.length === 0) return given;
  const ofRuns = (table: typeof feedback | typeof channelFeedback) =>
    and(eq(table.tenant, tenant), inArray(table.traceId, [...traceIds]));
  for (const { traceId, rating, body, at } of await read.select().from(feedback).where(ofRuns(feedback))) {
    const texts = JSON.parse(body);
    given.set(traceId, {
      feedback: { ...(rating !== null && { rating }), ...texts, at: at.toISOString() },
    });
  }
  const rows = await read.select().from(channelFeedback).where(ofRuns(channelFeedback));
  for (const { traceId, rating, channel, emoji, at } of rows) {
    const ofUsers = { rating, channel, emoji, at: at.toISOString() };
    given.set(traceId, { ...given.get(traceId), channel_feedback: ofUsers });
  }
  return given;
}
