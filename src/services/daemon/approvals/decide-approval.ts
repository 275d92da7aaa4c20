import { checkDecision } from "../../../contracts/daemon/questions/check-answer.ts";
import type { Answer } from "../../../contracts/daemon/questions/question.ts";
import type { ApprovalClosed } from "../../../contracts/daemon/runs/approvals.ts";
import type { InterceptorDecision } from "../../../engine/run-state/interceptor.ts";
import type { RunEvent } from "../../../engine/run-state/run-event.ts";
import { AppError } from "../../../kit/app-error.ts";
import { operatorTenant } from "../operator-tenant.ts";
import { agentChanged, type ClaimDeps, claimRun, sameAgent } from "../paused-runs/claim-run.ts";
import type { PausedRuns } from "../paused-runs/paused-runs.ts";
import type { Decider } from "../paused-runs/resume-run.ts";
import type { ApprovalRow } from "../paused-runs/schema.ts";
import { closeRejected, findApproval } from "../paused-runs/store.ts";

/** A decision as a caller sends it. */
export interface GivenDecision {
  verdict: InterceptorDecision["verdict"];
  comment?: string | undefined;
  answer?: Answer | undefined;
  cancel?: boolean | undefined;
}

/** Returns the decision if it fits what the run waits for. Throws AppError `invalid_request`. */
export function readDecision(
  { vault }: PausedRuns,
  row: ApprovalRow,
  { verdict, comment, answer, cancel }: GivenDecision,
): InterceptorDecision {
  const { question } = vault.open("asked", row) ?? {};
  const checked = checkDecision(verdict, { answer, cancel }, question);
  return { verdict, ...(comment !== undefined && { comment }), ...checked };
}

/**
 * Takes a person's decision, if it is the first, and resumes the run. The run continues to its end even if the client disconnects, so an
 * approved call is not left half done. If the agent has changed, the run can't resume, and a rejection closes the approval.
 */
export async function decideApproval(
  deps: ClaimDeps,
  pausedRuns: PausedRuns,
  id: string,
  given: GivenDecision,
  decider: Decider,
): Promise<{ events: AsyncIterable<RunEvent> } | { closed: ApprovalClosed }> {
  const row = await getApproval(pausedRuns, id);
  requirePending(row, pausedRuns.clock.now());
  const decision = readDecision(pausedRuns, row, given);
  const agent = await sameAgent(deps, pausedRuns, row);
  const comment =
    decision.comment === undefined ? null : pausedRuns.vault.seal("comment", decision.comment, row);
  if (agent === undefined) {
    if (decision.verdict === "approved") throw agentChanged(row, putBackOrReject);
    if (
      await closeRejected(pausedRuns.storage, operatorTenant, id, { now: pausedRuns.clock.now(), comment })
    ) {
      return { closed: closedAnswer(row) };
    }
    throw await tooLate(pausedRuns, id);
  }
  const events = await claimRun(
    deps,
    pausedRuns,
    { row, agent },
    { decision, status: decision.verdict, comment, decider },
  );
  if (events === undefined) throw await tooLate(pausedRuns, id);
  deps.log.info("approval.decided", { approval_id: id, agent: agent.name, decision: decision.verdict });
  return { events };
}

const putBackOrReject = "Restore the agent, or reject the call and run the agent again.";

/** Returns the approval, or throws `approval_not_found`. */
export async function getApproval({ storage }: PausedRuns, id: string): Promise<ApprovalRow> {
  const row = await findApproval(storage, operatorTenant, id);
  if (row?.kind === "approval") return row;
  throw new AppError("not_found", "approval_not_found", "There is no approval with this id.", {
    details: { hint: "GET /v1/approvals lists approvals. Deleting an agent deletes its approvals." },
  });
}

/** Throws AppError `approval_expired` or `approval_decided`. */
export function requirePending({ status, expiresAt, decidedAt }: ApprovalRow, now: Date): void {
  if (status === "expired" || (status === "pending" && expiresAt <= now)) {
    const message = `The approval expired at ${expiresAt.toISOString()}; the call was not carried out.`;
    throw new AppError("conflict", "approval_expired", message, {
      details: { hint: "Run the agent again." },
    });
  }
  if (status === "pending") return;
  const at = decidedAt === null ? "" : ` at ${decidedAt.toISOString()}`;
  throw new AppError("conflict", "approval_decided", `The approval was already decided${at}: ${status}.`, {
    details: { hint: "GET /v1/approvals/{id} shows the result." },
  });
}

/** Returns the reason why an approval that was pending a moment ago could not be claimed. */
async function tooLate(pausedRuns: PausedRuns, id: string): Promise<AppError> {
  try {
    requirePending(await getApproval(pausedRuns, id), pausedRuns.clock.now());
  } catch (thrown) {
    if (thrown instanceof AppError) return thrown;
    throw thrown;
  }
  return new AppError("conflict", "approval_decided", "Another decision on this approval is in progress.");
}

function closedAnswer({ id, sessionId, agent }: ApprovalRow): ApprovalClosed {
  return {
    status: "rejected",
    approval_id: id,
    session_id: sessionId,
    message: `The call is rejected. Agent ${agent} has changed since the run paused, so the run does not resume.`,
  };
}
