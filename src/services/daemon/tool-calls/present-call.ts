import type { ClientToolCall, ClientToolCallDetail } from "../../../contracts/daemon/runs/tool-calls.ts";
import type { ApprovalDesk } from "../approvals/approval-desk.ts";
import type { ApprovalVault } from "../approvals/approval-vault.ts";
import { whatBecame } from "../approvals/present-approval.ts";
import type { ApprovalRow } from "../approvals/schema.ts";

/** Converts a call that the caller carries out to the form that the API returns. */
export function presentCall(vault: ApprovalVault, row: ApprovalRow): ClientToolCall {
  const { agent = row.agent, tool = "", input = {} } = vault.open("asked", row) ?? {};
  return {
    id: row.id,
    agent: row.agent,
    ...(agent === row.agent ? {} : { via: agent }),
    session_id: row.sessionId,
    tool,
    input,
    // Such a call is never approved or rejected.
    status: row.status as ClientToolCall["status"],
    created_at: row.createdAt.toISOString(),
    expires_at: row.expiresAt.toISOString(),
    ...(row.decidedAt === null ? {} : { answered_at: row.decidedAt.toISOString() }),
  };
}

/** Like `presentCall`, with the outcome of the run. */
export async function presentCallDetail(desk: ApprovalDesk, row: ApprovalRow): Promise<ClientToolCallDetail> {
  return { ...presentCall(desk.vault, row), ...(await whatBecame(desk, row)) };
}
