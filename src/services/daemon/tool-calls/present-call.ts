import type { ClientToolCall, ClientToolCallDetail } from "../../../contracts/daemon/tool-calls.ts";
import type { ApprovalDesk } from "../approvals/approval-desk.ts";
import type { ApprovalVault } from "../approvals/approval-vault.ts";
import { whatBecame } from "../approvals/present-approval.ts";
import type { ApprovalRow } from "../approvals/schema.ts";

/** A call that the caller carries out, as the API shows it. */
export function presentCall(vault: ApprovalVault, row: ApprovalRow): ClientToolCall {
  const { agent = row.agent, tool = "", input = {} } = vault.open("asked", row) ?? {};
  return {
    id: row.id,
    agent: row.agent,
    ...(agent === row.agent ? {} : { via: agent }),
    session_id: row.sessionId,
    tool,
    input,
    // Nobody approves or rejects it.
    status: row.status as ClientToolCall["status"],
    created_at: row.createdAt.toISOString(),
    expires_at: row.expiresAt.toISOString(),
    ...(row.decidedAt === null ? {} : { answered_at: row.decidedAt.toISOString() }),
  };
}

/** The same with what became of the run. */
export async function presentCallDetail(desk: ApprovalDesk, row: ApprovalRow): Promise<ClientToolCallDetail> {
  return { ...presentCall(desk.vault, row), ...(await whatBecame(desk, row)) };
}
