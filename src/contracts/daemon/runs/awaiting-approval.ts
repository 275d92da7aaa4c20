import { type Static, Type } from "@sinclair/typebox";

const awaitingFields = {
  approval_id: Type.String(),
  session_id: Type.String(),
  agent: Type.String({ description: "The agent that was asked." }),
  tool: Type.String({ description: "What is to be approved: a call of this tool." }),
  expires_at: Type.String({
    description: "ISO 8601 UTC; not decided on until then, it is never carried out.",
  }),
};

export const AwaitingApproval = Type.Object(
  { status: Type.Literal("awaiting_approval"), ...awaitingFields },
  {
    description: "The run has paused: `POST /v1/approvals/{approval_id}/approve` or `/reject` lets it go on.",
  },
);
export type AwaitingApproval = Static<typeof AwaitingApproval>;

/** Last frame of a stream whose run has paused. */
export const ApprovalFrame = Type.Object(
  { type: Type.Literal("approval_required"), ...awaitingFields },
  { description: "The run has paused, and the stream ends; it goes on with the decision." },
);
export type ApprovalFrame = Static<typeof ApprovalFrame>;
