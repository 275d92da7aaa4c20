import { type Static, Type } from "@sinclair/typebox";
import { Question } from "../../daemon/questions/question.ts";
import { questionDecision } from "../../daemon/runs/approvals.ts";

/** A call that a run waits for until a person decides. */
export const PlatformApproval = Type.Object({
  id: Type.String(),
  invocation_id: Type.String({ description: "ID of the waiting run. The run resumes after the decision." }),
  agent: Type.String({ description: "Agent that received the request." }),
  via: Type.Optional(Type.String({ description: "Agent that makes the call, if different from `agent`." })),
  session_id: Type.String(),
  tool: Type.Optional(Type.String()),
  input: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description: "Proposed tool input. The decision applies to this input.",
    }),
  ),
  question: Type.Optional(Question),
  status: Type.Union([
    Type.Literal("pending"),
    Type.Literal("approved"),
    Type.Literal("rejected"),
    Type.Literal("expired"),
  ]),
  comment: Type.Optional(Type.String()),
  decided_by: Type.Optional(
    Type.String({ description: "Author of the decision: `user:<user id>` or `key:<key hash>`." }),
  ),
  created_at: Type.String({ description: "Creation time, ISO 8601 UTC." }),
  expires_at: Type.String({
    description:
      "Expiry of the approval, ISO 8601 UTC. Without a decision by then, the call is never executed.",
  }),
  decided_at: Type.Optional(Type.String({ description: "Decision time, ISO 8601 UTC." })),
});
export type PlatformApproval = Static<typeof PlatformApproval>;

export const PlatformApprovalList = Type.Object({
  approvals: Type.Array(PlatformApproval, { description: "Approvals, newest first." }),
});
export type PlatformApprovalList = Static<typeof PlatformApprovalList>;

export const PlatformDecision = Type.Object(
  {
    comment: Type.Optional(
      Type.String({
        maxLength: 4096,
        description:
          "Comment, stored with the decision. If the call is rejected, the agent receives the comment.",
      }),
    ),
    ...questionDecision,
  },
  { additionalProperties: false },
);
export type PlatformDecision = Static<typeof PlatformDecision>;
