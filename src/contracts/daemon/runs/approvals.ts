import { type Static, Type } from "@sinclair/typebox";
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
  { description: "`failed`: the run could not go on to its end after the decision." },
);
export type ApprovalStatus = Static<typeof ApprovalStatus>;

const approvalFields = {
  id: Type.String(),
  agent: Type.String({ description: "The agent that was asked." }),
  via: Type.Optional(Type.String({ description: "The agent whose call it is, when that is another one." })),
  session_id: Type.String(),
  tool: Type.String(),
  input: Type.Record(Type.String(), Type.Unknown(), {
    description: "What the tool would be called with, unredacted: it is what is decided on.",
  }),
  status: ApprovalStatus,
  created_at: Type.String({ description: "ISO 8601 UTC." }),
  expires_at: Type.String({ description: "ISO 8601 UTC." }),
  decided_at: Type.Optional(Type.String({ description: "ISO 8601 UTC." })),
  comment: Type.Optional(Type.String()),
};

export const Approval = Type.Object(approvalFields);
export type Approval = Static<typeof Approval>;

export const ApprovalDetail = Type.Object({
  ...approvalFields,
  result: Type.Optional(
    Type.Composite([RunResult], { description: "Of the run, once it has come to its end." }),
  ),
  error: Type.Optional(
    Type.Object({ code: Type.String(), message: Type.String() }, { description: "With `failed`: why." }),
  ),
  next_approval_id: Type.Optional(
    Type.String({ description: "The run went on and came to another call that needs approval." }),
  ),
  next_call_id: Type.Optional(
    Type.String({ description: "The run went on and came to a call that its caller is to carry out." }),
  ),
});
export type ApprovalDetail = Static<typeof ApprovalDetail>;

export const ApprovalList = Type.Object({ approvals: Type.Array(Approval) });
export type ApprovalList = Static<typeof ApprovalList>;

export const ApprovalDecision = Type.Object(
  {
    comment: Type.Optional(
      Type.String({ maxLength: 4096, description: "Kept; of a rejected call the agent is told it." }),
    ),
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
  { description: "Rejected, and the run can't go on because its agent has changed." },
);
export type ApprovalClosed = Static<typeof ApprovalClosed>;

export type DecisionAnswer = RunResult | AwaitingApproval | AwaitingToolResult | ApprovalClosed;
