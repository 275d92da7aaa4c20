import { type Static, Type } from "@sinclair/typebox";
import { Answer, Question } from "../questions/question.ts";
import type { AwaitingApproval, AwaitingToolResult } from "./awaited-run.ts";
import { RunResult } from "./run.ts";

export const ApprovalStatus = Type.Union(
  [
    Type.Literal("pending"),
    Type.Literal("approved"),
    Type.Literal("rejected"),
    Type.Literal("expired"),
    Type.Literal("failed"),
  ],
  { description: "Status of the approval. `failed`: the run failed after the decision." },
);
export type ApprovalStatus = Static<typeof ApprovalStatus>;

const approvalFields = {
  id: Type.String(),
  agent: Type.String({ description: "Agent that received the request." }),
  via: Type.Optional(Type.String({ description: "Agent that made the call, if it is not `agent`." })),
  session_id: Type.String(),
  tool: Type.String(),
  input: Type.Record(Type.String(), Type.Unknown(), {
    description: "Input of the tool call to decide on, unredacted.",
  }),
  question: Type.Optional(Question),
  status: ApprovalStatus,
  created_at: Type.String({ description: "Creation time, ISO 8601 UTC." }),
  expires_at: Type.String({ description: "Expiry time, ISO 8601 UTC." }),
  decided_at: Type.Optional(Type.String({ description: "Decision time, ISO 8601 UTC." })),
  comment: Type.Optional(Type.String()),
};

export const Approval = Type.Object(approvalFields);
export type Approval = Static<typeof Approval>;

export const ApprovalDetail = Type.Object({
  ...approvalFields,
  result: Type.Optional(
    Type.Composite([RunResult], { description: "Result of the run, once it has ended." }),
  ),
  error: Type.Optional(
    Type.Object(
      { code: Type.String(), message: Type.String() },
      { description: "Reason for the status `failed`." },
    ),
  ),
  next_approval_id: Type.Optional(
    Type.String({
      description: "Id of the next approval, if the run continued and reached another call that needs one.",
    }),
  ),
  next_call_id: Type.Optional(
    Type.String({
      description:
        "Id of the next `client` tool call, if the run continued and reached a call that the caller must execute.",
    }),
  ),
});
export type ApprovalDetail = Static<typeof ApprovalDetail>;

export const ApprovalList = Type.Object({ approvals: Type.Array(Approval) });
export type ApprovalList = Static<typeof ApprovalList>;

/** What a decision on a question has in addition. */
export const questionDecision = {
  answer: Type.Optional(Answer),
  cancel: Type.Optional(
    Type.Boolean({
      description:
        "To reject a question: true dismisses it, as if the person had closed it. Default: declines it.",
    }),
  ),
};

export const ApprovalDecision = Type.Object(
  {
    comment: Type.Optional(
      Type.String({
        maxLength: 4096,
        description:
          "Comment on the decision, stored with the approval. If the call is rejected, the agent receives it.",
      }),
    ),
    ...questionDecision,
  },
  { additionalProperties: false },
);
export type ApprovalDecision = Static<typeof ApprovalDecision>;

export const ApprovalClosed = Type.Object(
  {
    status: Type.Literal("rejected"),
    approval_id: Type.String(),
    session_id: Type.String(),
    message: Type.String(),
  },
  { description: "Call rejected. The run cannot continue because its agent has changed." },
);
export type ApprovalClosed = Static<typeof ApprovalClosed>;

export type DecisionAnswer = RunResult | AwaitingApproval | AwaitingToolResult | ApprovalClosed;
