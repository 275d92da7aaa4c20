import { AppError } from "../../../kit/app-error.ts";
import { questionLines } from "../questions/written-answer.ts";
import type { AwaitingApproval, AwaitingToolResult } from "./awaited-run.ts";

type Awaiting = AwaitingApproval | AwaitingToolResult;

/** Returns the answer of an ended run. For a waiting run, throws AppError `approval_required` or `tool_result_required`. */
export function ended<Answer extends object>(answer: Answer | Awaiting): Answer {
  if (!("status" in answer)) return answer;
  if (answer.status === "awaiting_approval") throw approvalAwaited(answer as AwaitingApproval);
  if (answer.status === "awaiting_tool_result") throw toolResultAwaited(answer as AwaitingToolResult);
  return answer as Answer;
}

/** Error for a run that waits for a person. */
export function approvalAwaited(awaited: Omit<AwaitingApproval, "status">): AppError {
  const { approval_id: id, agent, tool, expires_at: until, question } = awaited;
  const message =
    question === undefined
      ? `Agent ${agent} waits for a person to approve a call of ${tool}.`
      : questionLines(question).join("\n");
  const verb = question === undefined ? "Approve or reject it" : "Answer or reject it";
  const hint = `${verb} until ${until}: argosy approvals approve ${id}`;
  return new AppError("conflict", "approval_required", message, {
    details: { hint, facts: { ...awaited, status: "awaiting_approval" } },
  });
}

/** Error for a run that waits for its caller. */
export function toolResultAwaited(awaited: Omit<AwaitingToolResult, "status">): AppError {
  const { call_id: id, agent, tool, input, expires_at: until } = awaited;
  const message = `Agent ${agent} waits for you to carry out ${tool} with ${JSON.stringify(input)}.`;
  const hint = `Hand in what came of it until ${until}: argosy tool-calls answer ${id} --output '<JSON>'`;
  return new AppError("conflict", "tool_result_required", message, {
    details: { hint, facts: { ...awaited, status: "awaiting_tool_result" } },
  });
}
