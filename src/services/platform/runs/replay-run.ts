import { and, eq } from "drizzle-orm";
import type { RunInProgress } from "../../../contracts/platform/run-frames.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { PlatformDeps } from "../deps.ts";
import { openKeptAnswer } from "./kept-answer.ts";
import type { RunOutcome } from "./run-outcome.ts";

/** What a repeated key answers: the outcome of its run, or that it is still under way. */
export type Replay = { outcome: RunOutcome } | { inProgress: RunInProgress };

/** The answer of the run that a key belongs to. */
export async function replayRun(
  deps: PlatformDeps,
  { tenantId, invocationId }: { tenantId: string; invocationId: string },
): Promise<Replay> {
  const { read, tables } = deps.storage;
  const { idempotencyKeys, invocations } = tables;
  const [row] = await read
    .select({ answer: idempotencyKeys.answer, sessionId: invocations.sessionId, status: invocations.status })
    .from(invocations)
    .leftJoin(
      idempotencyKeys,
      and(
        eq(idempotencyKeys.tenantId, invocations.tenantId),
        eq(idempotencyKeys.invocationId, invocations.id),
      ),
    )
    .where(and(eq(invocations.tenantId, tenantId), eq(invocations.id, invocationId)));
  if (row?.answer) return { outcome: openKeptAnswer(deps, { tenantId, invocationId }, row.answer) };
  if (row?.status === "in_progress") {
    return {
      inProgress: { invocation_id: invocationId, status: "in_progress", session_id: row.sessionId },
    };
  }
  // Its process died: nobody knows what it would have said.
  const error = new AppError("unavailable", "interrupted", "The run was interrupted; it is not charged.");
  return { outcome: { kind: "failed", status: "interrupted", error } };
}
