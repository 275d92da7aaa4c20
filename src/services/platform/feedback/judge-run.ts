import { and, eq } from "drizzle-orm";
import type {
  ChannelFeedback,
  ChannelFeedbackGiven,
  Feedback,
  FeedbackGiven,
  FeedbackSource,
} from "../../../contracts/daemon/runs/feedback.ts";
import type { RuntimeClient } from "../../../contracts/runtime/client.ts";
import { readInstant } from "../../../http/read-instant.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { ReadQuery } from "../../../storage/storage.ts";
import type { TenantActor } from "../auth/credentials.ts";
import type { PlatformTables, StoreDeps } from "../tables.ts";
import { dropFeedback, saveFeedback } from "./store.ts";

export interface FeedbackDeps extends StoreDeps {
  runtime: Pick<RuntimeClient, "judge" | "unjudge">;
}

/**
 * Stores a person's verdict on a run, here and beside the run's trace. Throws 404 for a run that the tenant doesn't have, and
 * `runtime_unreachable`: then the same call again completes it.
 */
export async function judgeRun(
  deps: FeedbackDeps,
  { tenantId }: TenantActor,
  invocationId: string,
  given: FeedbackGiven,
): Promise<Feedback> {
  const at = deps.clock.now();
  const { rating, ...texts } = given;
  await judge(deps, { tenantId, invocationId, source: "person" }, { rating, body: texts, at }, (traceId) =>
    deps.runtime.judge(tenantId, traceId, { feedback: given }),
  );
  return { ...given, at: at.toISOString() };
}

/** Does the same with the verdict of the users of a messaging channel. */
export async function judgeRunByUsers(
  deps: FeedbackDeps,
  { tenantId }: TenantActor,
  invocationId: string,
  { at: sentAt, ...given }: ChannelFeedbackGiven,
): Promise<ChannelFeedback> {
  const at = readInstant("at", sentAt);
  if (at === undefined)
    throw new AppError("invalid", "invalid_request", "The body is not valid: at is required.");
  const verdict = { ...given, at: at.toISOString() };
  const { rating, ...body } = given;
  await judge(deps, { tenantId, invocationId, source: "channel" }, { rating, body, at }, (traceId) =>
    deps.runtime.judge(tenantId, traceId, { channel_feedback: verdict }),
  );
  return verdict;
}

/** Deletes a run's verdict of one source. Throws 404 `feedback_not_found` if there is none. */
export async function unjudgeRun(
  { storage, runtime }: FeedbackDeps,
  { tenantId }: TenantActor,
  invocationId: string,
  source: FeedbackSource,
): Promise<void> {
  const { tables } = storage;
  const traceId = await traceOf(storage.read, tables, tenantId, invocationId);
  // First beside the trace: if that fails, the same call again finds what to delete.
  if (traceId !== null) await runtime.unjudge(tenantId, traceId, source);
  const dropped = await storage.transact((tx) =>
    dropFeedback(tx, tables, { tenantId, invocationId, source }),
  );
  if (!dropped)
    throw new AppError("not_found", "feedback_not_found", "There is no feedback on a run with this id.");
}

async function judge(
  { storage }: FeedbackDeps,
  key: { tenantId: string; invocationId: string; source: FeedbackSource },
  { rating = null, body, at }: { rating: "up" | "down" | null | undefined; body: object; at: Date },
  beside: (traceId: string) => Promise<void>,
): Promise<void> {
  const { tables } = storage;
  const traceId = await storage.transact(async (tx) => {
    const trace = await traceOf(tx, tables, key.tenantId, key.invocationId);
    await saveFeedback(tx, tables, { ...key, rating, body: JSON.stringify(body), at });
    return trace;
  });
  if (traceId !== null) await beside(traceId);
}

/** Returns the trace of a run; null if it has none. Throws 404 for a run that the tenant doesn't have. */
async function traceOf(
  read: ReadQuery,
  { invocations }: PlatformTables,
  tenantId: string,
  id: string,
): Promise<string | null> {
  const [row] = await read
    .select({ traceId: invocations.traceId })
    .from(invocations)
    .where(and(eq(invocations.tenantId, tenantId), eq(invocations.id, id)));
  if (row !== undefined) return row.traceId;
  throw new AppError("not_found", "invocation_not_found", "There is no invocation with this id.");
}
