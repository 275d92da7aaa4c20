import { type Static, Type } from "@sinclair/typebox";

/** A call that a run waits for until a person decides. */
export const PlatformApproval = Type.Object({
  id: Type.String(),
  invocation_id: Type.String({ description: "The run that waits; it goes on with the decision." }),
  agent: Type.String({ description: "The agent that was asked." }),
  via: Type.Optional(Type.String({ description: "The agent whose call it is, when that is another one." })),
  session_id: Type.String(),
  tool: Type.Optional(Type.String()),
  input: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description: "What the tool would be called with: it is what is decided on.",
    }),
  ),
  status: Type.Union([
    Type.Literal("pending"),
    Type.Literal("approved"),
    Type.Literal("rejected"),
    Type.Literal("expired"),
  ]),
  comment: Type.Optional(Type.String()),
  decided_by: Type.Optional(Type.String({ description: "`user:` and the id, or `key:` and the hash." })),
  created_at: Type.String({ description: "ISO 8601 UTC." }),
  expires_at: Type.String({
    description: "ISO 8601 UTC; not decided on until then, it is never carried out.",
  }),
  decided_at: Type.Optional(Type.String({ description: "ISO 8601 UTC." })),
});
export type PlatformApproval = Static<typeof PlatformApproval>;

export const PlatformApprovalList = Type.Object({
  approvals: Type.Array(PlatformApproval, { description: "Newest first." }),
});
export type PlatformApprovalList = Static<typeof PlatformApprovalList>;

export const PlatformDecision = Type.Object(
  {
    comment: Type.Optional(
      Type.String({ maxLength: 4096, description: "Kept; of a rejected call the agent is told it." }),
    ),
  },
  { additionalProperties: false },
);
export type PlatformDecision = Static<typeof PlatformDecision>;
