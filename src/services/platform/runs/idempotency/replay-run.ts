import { and, eq } from "drizzle-orm";
import type { RunInProgress } from "../../../../contracts/platform/runs/run-frames.ts";
import { AppError } from "../../../../kit/app-error.ts";
import type { TenantRunDeps } from "../deps.ts";
import { interrupted, type RunOutcome } from "../settlement/run-outcome.ts";
import { openKeptAnswer } from "./kept-answer.ts";

/** Answer to a repeated key: the outcome of its run, or that the run is still in progress. */
export type Replay = { outcome: RunOutcome } | { inProgress: RunInProgress };

/** Returns the answer of the run that a key belongs to. */
export async function replayRun(
  deps: TenantRunDeps,
  { tenantId, invocationId }: { tenantId: string; invocationId: string },
): Promise<Replay> {
  const { read, tables } = deps.storage;
  const { idempotencyKeys, invocations } = tables;
  const [row] = await read
    .select({
      answer: idempotencyKeys.answer,
      sessionId: invocations.sessionId,
      status: invocations.status,
      errorCode: invocations.errorCode,
      message: invocations.message,
    })
    .from(invocations)
    .leftJoin(
      idempotencyKeys,
      and(
        eq(idempotencyKeys.tenantId, invocations.tenantId),
        eq(idempotencyKeys.invocationId, invocations.id),
      ),
    )
    .where(and(eq(invocations.tenantId, tenantId), eq(invocations.id, invocationId)));
  // The stored answer may be from before the run resumed.
  if (row?.status === "in_progress") {
    return {
      inProgress: { invocation_id: invocationId, status: "in_progress", session_id: row.sessionId },
    };
  }
  if (row?.errorCode === "approval_expired" || row?.errorCode === "agent_changed") {
    return { outcome: endedWaiting(row.errorCode, row.message) };
  }
  if (row?.answer) return { outcome: openKeptAnswer(deps, { tenantId, invocationId }, row.answer) };
  return { outcome: { kind: "failed", status: "interrupted", error: interrupted() } };
}

/** A run that waited for a decision and could not resume. */
const endedWaiting = (code: string, message: string | null): RunOutcome => ({
  kind: "failed",
  status: "error",
  error: new AppError("conflict", code, message ?? "The run could not resume."),
});
