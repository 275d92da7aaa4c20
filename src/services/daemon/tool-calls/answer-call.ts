import type { ToolCallResult } from "../../../contracts/daemon/runs/tool-calls.ts";
import type { RunEvent } from "../../../engine/run/run-event.ts";
import type { ToolResult } from "../../../engine/tools/tool.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { ApprovalDesk } from "../approvals/approval-desk.ts";
import type { Decider } from "../approvals/decide-approval.ts";
import type { ApprovalRow } from "../approvals/schema.ts";
import { findApproval } from "../approvals/store.ts";
import { agentChanged, sameAgent, takeUp } from "../approvals/take-up.ts";
import { type DaemonDeps, operatorTenant } from "../deps.ts";

/** Maximum length of a caller's result as JSON text. */
const outputCharactersMax = 512 * 1024;

/**
 * Takes the result of a call that the caller carried out, if it is the first, and resumes the run. The run continues to its end even if the
 * client disconnects.
 */
export async function answerCall(
  deps: DaemonDeps,
  desk: ApprovalDesk,
  id: string,
  given: ToolCallResult,
  caller: Decider,
): Promise<AsyncIterable<RunEvent>> {
  const result = resultIn(given);
  const row = await getCall(desk, id);
  requireWaiting(row, desk.clock.now());
  const agent = sameAgent(deps, desk, row);
  if (agent === undefined) throw agentChanged(row, "Put the agent back as it was, or ask it again.");
  const taking = { result, status: "answered" as const, comment: null, decider: caller };
  const events = await takeUp(deps, desk, { row, agent }, taking);
  if (events === undefined) throw await tooLate(desk, id);
  deps.log.info("tool_call.answered", { call_id: id, agent: agent.name, ok: result.success });
  return events;
}

/** Returns the call, or throws `tool_call_not_found`. */
export async function getCall({ storage }: ApprovalDesk, id: string): Promise<ApprovalRow> {
  const row = await findApproval(storage, operatorTenant, id);
  if (row?.kind === "tool_call") return row;
  throw new AppError("not_found", "tool_call_not_found", "There is no tool call with this id.", {
    details: { hint: "GET /v1/tool-calls lists them; those of a deleted agent are gone with it." },
  });
}

function resultIn(given: ToolCallResult): ToolResult {
  const hasOutput = Object.hasOwn(given, "output");
  if (hasOutput === (given.error !== undefined)) {
    throw new AppError("invalid", "invalid_request", "The body must have either `output` or `error`.", {
      details: { hint: "output is any JSON, null included; error says in words why there is none." },
    });
  }
  if (given.error !== undefined) return { success: false, error: given.error };
  if (JSON.stringify(given.output).length <= outputCharactersMax) {
    return { success: true, data: given.output };
  }
  throw new AppError(
    "too_large",
    "tool_result_too_large",
    `The output has more than ${outputCharactersMax / 1024} Ki characters as JSON.`,
    { details: { hint: "Hand in less of it: the model is shown max_tool_result_tokens of it at most." } },
  );
}

/** Throws AppError `tool_call_expired` or `tool_call_answered`. */
function requireWaiting({ status, expiresAt, decidedAt }: ApprovalRow, now: Date): void {
  if (status === "expired" || (status === "pending" && expiresAt <= now)) {
    const message = `The call expired at ${expiresAt.toISOString()}; its run has ended.`;
    throw new AppError("conflict", "tool_call_expired", message, {
      details: { hint: "Ask the agent again." },
    });
  }
  if (status === "pending") return;
  const at = decidedAt === null ? "" : ` at ${decidedAt.toISOString()}`;
  throw new AppError("conflict", "tool_call_answered", `The call was answered${at}.`, {
    details: { hint: "GET /v1/tool-calls/{id} shows what became of it." },
  });
}

/** Returns the reason why a call that waited a moment ago could not be answered. */
async function tooLate(desk: ApprovalDesk, id: string): Promise<AppError> {
  try {
    requireWaiting(await getCall(desk, id), desk.clock.now());
  } catch (thrown) {
    if (thrown instanceof AppError) return thrown;
    throw thrown;
  }
  return new AppError("conflict", "tool_call_answered", "The call was being answered at the same time.");
}
