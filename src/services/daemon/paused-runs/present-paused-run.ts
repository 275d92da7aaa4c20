import type { ApprovalDetail } from "../../../contracts/daemon/runs/approvals.ts";
import type { ApprovalVault } from "./approval-vault.ts";
import type { PausedRuns } from "./paused-runs.ts";
import type { ApprovalRow } from "./schema.ts";
import { findApproval } from "./store.ts";

/** Returns the fields that the API shows of every paused run. `Status` is the states that its kind can have. */
export function presentPausedRun<Status extends ApprovalRow["status"]>(
  vault: ApprovalVault,
  row: ApprovalRow,
) {
  const { agent = row.agent, tool = "", input = {}, question } = vault.open("asked", row) ?? {};
  return {
    id: row.id,
    agent: row.agent,
    ...(agent === row.agent ? {} : { via: agent }),
    session_id: row.sessionId,
    tool,
    input,
    ...(question !== undefined && { question }),
    status: row.status as Status,
    created_at: row.createdAt.toISOString(),
    expires_at: row.expiresAt.toISOString(),
  };
}

type Became = Pick<ApprovalDetail, "result" | "error" | "next_approval_id" | "next_call_id">;

/** Outcome of the resumed run: its result, its error, or the next call it waits for. */
export async function outcomeOf({ storage, vault }: PausedRuns, row: ApprovalRow): Promise<Became> {
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
    "Argosy stopped while the run continued after the decision. An approved call may have been carried out; Argosy does not repeat it.",
};
