import type { ApprovalClosed } from "../../../contracts/daemon/runs/approvals.ts";
import type { Decision } from "../../../engine/approvals/paused-run.ts";
import type { RunEvent } from "../../../engine/run/run-event.ts";
import { AppError } from "../../../kit/app-error.ts";
import { type DaemonDeps, operatorTenant } from "../deps.ts";
import type { ApprovalDesk } from "./approval-desk.ts";
import type { ApprovalRow } from "./schema.ts";
import { closeRejected, findApproval } from "./store.ts";
import { agentChanged, sameAgent, takeUp } from "./take-up.ts";

/** Properties of the request that decides: whether it streams events, its abort signal, and its id for the log. */
export interface Decider {
  stream: boolean;
  signal: AbortSignal;
  requestId: string;
}

/**
 * Takes a person's decision, if it is the first, and resumes the run. The run continues to its end even if the client disconnects, so an
 * approved call is not left half done. If the agent has changed, the run can't resume, and a rejection closes the approval.
 */
export async function decideApproval(
  deps: DaemonDeps,
  desk: ApprovalDesk,
  id: string,
  decision: Decision,
  decider: Decider,
): Promise<{ events: AsyncIterable<RunEvent> } | { closed: ApprovalClosed }> {
  const row = await getApproval(desk, id);
  requirePending(row, desk.clock.now());
  const agent = sameAgent(deps, desk, row);
  const comment = decision.comment === undefined ? null : desk.vault.seal("comment", decision.comment, row);
  if (agent === undefined) {
    if (decision.verdict === "approved") throw agentChanged(row, putBackOrReject);
    if (await closeRejected(desk.storage, operatorTenant, id, { now: desk.clock.now(), comment })) {
      return { closed: closedAnswer(row) };
    }
    throw await tooLate(desk, id);
  }
  const events = await takeUp(
    deps,
    desk,
    { row, agent },
    { decision, status: decision.verdict, comment, decider },
  );
  if (events === undefined) throw await tooLate(desk, id);
  deps.log.info("approval.decided", { approval_id: id, agent: agent.name, decision: decision.verdict });
  return { events };
}

const putBackOrReject = "Put the agent back as it was, or reject the call and ask the agent again.";

/** Returns the approval, or throws `approval_not_found`. */
export async function getApproval({ storage }: ApprovalDesk, id: string): Promise<ApprovalRow> {
  const row = await findApproval(storage, operatorTenant, id);
  if (row?.kind === "approval") return row;
  throw new AppError("not_found", "approval_not_found", "There is no approval with this id.", {
    details: { hint: "GET /v1/approvals lists them; those of a deleted agent are gone with it." },
  });
}

/** Throws AppError `approval_expired` or `approval_decided`. */
export function requirePending({ status, expiresAt, decidedAt }: ApprovalRow, now: Date): void {
  if (status === "expired" || (status === "pending" && expiresAt <= now)) {
    const message = `The approval expired at ${expiresAt.toISOString()}; the call was not carried out.`;
    throw new AppError("conflict", "approval_expired", message, {
      details: { hint: "Ask the agent again." },
    });
  }
  if (status === "pending") return;
  const at = decidedAt === null ? "" : ` at ${decidedAt.toISOString()}`;
  throw new AppError("conflict", "approval_decided", `The approval was decided on${at}: ${status}.`, {
    details: { hint: "GET /v1/approvals/{id} shows what became of it." },
  });
}

/** Returns the reason why an approval that was pending a moment ago could not be claimed. */
async function tooLate(desk: ApprovalDesk, id: string): Promise<AppError> {
  try {
    requirePending(await getApproval(desk, id), desk.clock.now());
  } catch (thrown) {
    if (thrown instanceof AppError) return thrown;
    throw thrown;
  }
  return new AppError("conflict", "approval_decided", "The approval was being decided on at the same time.");
}

function closedAnswer({ id, sessionId, agent }: ApprovalRow): ApprovalClosed {
  return {
    status: "rejected",
    approval_id: id,
    session_id: sessionId,
    message: `The call is rejected. Agent ${agent} has changed since the run paused, so the run does not go on.`,
  };
}
