import { type Static, Type } from "@sinclair/typebox";
import { Question } from "../questions/question.ts";

const approvalFields = {
  approval_id: Type.String(),
  session_id: Type.String(),
  agent: Type.String({ description: "Agent that received the request." }),
  tool: Type.String({ description: "Tool whose call needs approval." }),
  expires_at: Type.String({
    description:
      "Deadline for the decision, ISO 8601 UTC. Without a decision by then, the call is never executed.",
  }),
  question: Type.Optional(Question),
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
