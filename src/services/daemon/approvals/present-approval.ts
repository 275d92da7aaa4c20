import type { Approval, ApprovalDetail } from "../../../contracts/daemon/runs/approvals.ts";
import type { ApprovalDesk } from "./approval-desk.ts";
import type { ApprovalVault } from "./approval-vault.ts";
import type { ApprovalRow } from "./schema.ts";
import { findApproval } from "./store.ts";

/** Converts an approval to the form that the API returns. */
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
    // Only calls that a caller carries out have the status `answered`.
    status: row.status as Approval["status"],
    created_at: row.createdAt.toISOString(),
    expires_at: row.expiresAt.toISOString(),
    ...(row.decidedAt === null ? {} : { decided_at: row.decidedAt.toISOString() }),
    ...(comment === undefined ? {} : { comment }),
  };
}

/** Like `presentApproval`, with the outcome of the run. */
export async function presentDetail(desk: ApprovalDesk, row: ApprovalRow): Promise<ApprovalDetail> {
  return { ...presentApproval(desk.vault, row), ...(await whatBecame(desk, row)) };
}

type Became = Pick<ApprovalDetail, "result" | "error" | "next_approval_id" | "next_call_id">;

/** Outcome of the resumed run: its result, its error, or the next call it waits for. */
export async function whatBecame({ storage, vault }: ApprovalDesk, row: ApprovalRow): Promise<Became> {
  const outcome = vault.open("outcome", row);
  const next = row.nextId === null ? undefined : await findApproval(storage, row.tenant, row.nextId);
  return {
    ...(outcome !== undefined && "result" in outcome ? { result: outcome.result } : {}),
    ...(row.status === "failed" ? { error: outcome && "error" in outcome ? outcome.error : abandoned } : {}),
    ...(next && (next.kind === "approval" ? { next_approval_id: next.id } : { next_call_id: next.id })),
  };
}

/** Error of a run whose process died after the decision. */
const abandoned = {
  code: "run_abandoned",
  message:
    "Argosy ended while the run went on after the decision. An approved call may have been carried out; it is not carried out again.",
};
