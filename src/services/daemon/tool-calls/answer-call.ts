import type { ToolCallResult } from "../../../contracts/daemon/runs/tool-calls.ts";
import type { RunEvent } from "../../../engine/run-state/run-event.ts";
import type { ToolResult } from "../../../engine/tools/tool.ts";
import { AppError } from "../../../kit/app-error.ts";
import { operatorTenant } from "../operator-tenant.ts";
import { agentChanged, type ClaimDeps, claimRun, sameAgent } from "../paused-runs/claim-run.ts";
import type { PausedRuns } from "../paused-runs/paused-runs.ts";
import type { Decider } from "../paused-runs/resume-run.ts";
import type { ApprovalRow } from "../paused-runs/schema.ts";
import { findApproval } from "../paused-runs/store.ts";

/** Maximum length of a caller's result as JSON text. */
const outputCharactersMax = 512 * 1024;

/**
 * Takes the result of a call that the caller carried out, if it is the first, and resumes the run. The run continues to its end even if the
 * client disconnects.
 */
export async function answerCall(
  deps: ClaimDeps,
  pausedRuns: PausedRuns,
  id: string,
  given: ToolCallResult,
  caller: Decider,
): Promise<AsyncIterable<RunEvent>> {
  const result = resultIn(given);
  const row = await getCall(pausedRuns, id);
  requireWaiting(row, pausedRuns.clock.now());
  const agent = await sameAgent(deps, pausedRuns, row);
  if (agent === undefined) throw agentChanged(row, "Restore the agent, or run it again.");
  const taking = { result, status: "answered" as const, comment: null, decider: caller };
  const events = await claimRun(deps, pausedRuns, { row, agent }, taking);
  if (events === undefined) throw await tooLate(pausedRuns, id);
  deps.log.info("tool_call.answered", { call_id: id, agent: agent.name, ok: result.success });
  return events;
}

/** Returns the call, or throws `tool_call_not_found`. */
export async function getCall({ storage }: PausedRuns, id: string): Promise<ApprovalRow> {
  const row = await findApproval(storage, operatorTenant, id);
  if (row?.kind === "tool_call") return row;
  throw new AppError("not_found", "tool_call_not_found", "There is no tool call with this id.", {
    details: { hint: "GET /v1/tool-calls lists tool calls. Deleting an agent deletes its tool calls." },
  });
}

function resultIn(given: ToolCallResult): ToolResult {
  const hasOutput = Object.hasOwn(given, "output");
  if (hasOutput === (given.error !== undefined)) {
    throw new AppError("invalid", "invalid_request", "The body must have either `output` or `error`.", {
      details: { hint: "output is any JSON, also null; error is the reason why there is no output." },
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
    { details: { hint: "Send less: the model sees at most max_tool_result_tokens of it." } },
  );
}

/** Throws AppError `tool_call_expired` or `tool_call_answered`. */
function requireWaiting({ status, expiresAt, decidedAt }: ApprovalRow, now: Date): void {
  if (status === "expired" || (status === "pending" && expiresAt <= now)) {
    const message = `The call expired at ${expiresAt.toISOString()}; its run has ended.`;
    throw new AppError("conflict", "tool_call_expired", message, {
      details: { hint: "Run the agent again." },
    });
  }
  if (status === "pending") return;
  const at = decidedAt === null ? "" : ` at ${decidedAt.toISOString()}`;
  throw new AppError("conflict", "tool_call_answered", `The call was already answered${at}.`, {
    details: { hint: "GET /v1/tool-calls/{id} shows the result." },
  });
}

/** Returns the reason why a call that waited a moment ago could not be answered. */
async function tooLate(pausedRuns: PausedRuns, id: string): Promise<AppError> {
  try {
    requireWaiting(await getCall(pausedRuns, id), pausedRuns.clock.now());
  } catch (thrown) {
    if (thrown instanceof AppError) return thrown;
    throw thrown;
  }
  return new AppError("conflict", "tool_call_answered", "Another answer to this call is in progress.");
}
