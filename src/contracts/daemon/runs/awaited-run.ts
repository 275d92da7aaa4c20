import { type Static, Type } from "@sinclair/typebox";
import { AppError } from "../../../kit/app-error.ts";

const approvalFields = {
  approval_id: Type.String(),
  session_id: Type.String(),
  agent: Type.String({ description: "Agent that received the request." }),
  tool: Type.String({ description: "Tool whose call needs approval." }),
  expires_at: Type.String({
    description:
      "Deadline for the decision, ISO 8601 UTC. Without a decision by then, the call is never executed.",
  }),
};

export const AwaitingApproval = Type.Object(
  { status: Type.Literal("awaiting_approval"), ...approvalFields },
  {
    description: "The run is paused. `POST /v1/approvals/{approval_id}/approve` or `/reject` resumes it.",
  },
);
export type AwaitingApproval = Static<typeof AwaitingApproval>;

/** Last frame of a stream whose run has paused. */
export const ApprovalFrame = Type.Object(
  { type: Type.Literal("approval_required"), ...approvalFields },
  { description: "The run is paused and the stream ends. The decision resumes the run." },
);
export type ApprovalFrame = Static<typeof ApprovalFrame>;

const toolResultFields = {
  call_id: Type.String(),
  session_id: Type.String(),
  agent: Type.String({ description: "Agent that received the request." }),
  tool: Type.String({ description: "Tool that the caller must execute." }),
  input: Type.Record(Type.String(), Type.Unknown(), { description: "Input of the tool call." }),
  expires_at: Type.String({
    description: "Deadline for the result, ISO 8601 UTC. Without a result by then, the run ends.",
  }),
};

export const AwaitingToolResult = Type.Object(
  { status: Type.Literal("awaiting_tool_result"), ...toolResultFields },
  { description: "The run is paused. `POST /v1/tool-calls/{call_id}/result` resumes it." },
);
export type AwaitingToolResult = Static<typeof AwaitingToolResult>;

/** Last frame of a stream whose run waits for its caller. */
export const ToolResultFrame = Type.Object(
  { type: Type.Literal("tool_result_required"), ...toolResultFields },
  { description: "The run is paused and the stream ends. The result resumes the run." },
);
export type ToolResultFrame = Static<typeof ToolResultFrame>;

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
  const { approval_id: id, agent, tool, expires_at: until } = awaited;
  const message = `Agent ${agent} waits for a person to approve a call of ${tool}.`;
  const hint = `Approve or reject it until ${until}: argosy approvals approve ${id}`;
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
