import type { Approval, ApprovalDetail } from "../../../contracts/daemon/approvals.ts";
import type { ApprovalVault } from "./approval-vault.ts";
import type { ApprovalRow } from "./schema.ts";

/** An approval as the API shows it. */
export function presentApproval(vault: ApprovalVault, row: ApprovalRow): Approval {
  const { agent = row.agent, tool = "", input = {} } = vault.open("asked", row) ?? {};
  const comment = vault.open("comment", row);
  return {
    id: row.id,
    agent: row.agent,
    ...(agent === row.agent ? {} : { via: agent }),
    session_id: row.sessionId,
    tool,
    input,
    status: row.status,
    created_at: row.createdAt.toISOString(),
    expires_at: row.expiresAt.toISOString(),
    ...(row.decidedAt === null ? {} : { decided_at: row.decidedAt.toISOString() }),
    ...(comment === undefined ? {} : { comment }),
  };
}

/** The same with what became of the run. */
export function presentDetail(vault: ApprovalVault, row: ApprovalRow): ApprovalDetail {
  const outcome = vault.open("outcome", row);
  return {
    ...presentApproval(vault, row),
    ...(outcome !== undefined && "result" in outcome ? { result: outcome.result } : {}),
    ...(row.status === "failed" ? { error: outcome && "error" in outcome ? outcome.error : abandoned } : {}),
    ...(row.nextId === null ? {} : { next_approval_id: row.nextId }),
  };
}

/** Of a run whose process died after the decision. */
const abandoned = {
  code: "run_abandoned",
  message:
    "Argosy ended while the run went on after the decision. An approved call may have been carried out; it is not carried out again.",
};
