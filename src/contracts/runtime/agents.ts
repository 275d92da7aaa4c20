import { type Static, Type } from "@sinclair/typebox";
import { SessionId } from "../daemon/runs/run.ts";

/** Whose provider keys the models of an agent use; absent: the operator's. */
export const OwnKeys = Type.Literal("own", {
  description: "The tenant's own: they come with each run, and the operator's are never used.",
});

/** An agent of a tenant that a control plane registers with the runtime as `t_<tenant id>__<agent name>`. */
export const RegisterAgent = Type.Object(
  {
    tenant_id: Type.String(),
    /** Owner of the agent's memory, so an agent with a reused name starts empty. */
    agent_id: Type.String(),
    name: Type.String(),
    /** Replaces `t_<tenant id>` in the runtime name. It has no `_`, so it is never a prefix of that form. */
    namespace: Type.Optional(Type.String({ pattern: "^[a-z0-9]+(-[a-z0-9]+)*$", maxLength: 40 })),
    keys: Type.Optional(OwnKeys),
    checksum: Type.String({
      description: "Checksum of the spec. An agent already registered with this checksum is not rebuilt.",
    }),
    spec: Type.Unknown({ description: "Manifest as JSON." }),
    /**
     * The agent is built at its first run. For manifests that were registered before, so that a start with many agents is fast. Until then,
     * none of its sessions expire.
     */
    deferred: Type.Optional(Type.Literal(true)),
  },
  { additionalProperties: false },
);
export type RegisterAgent = Static<typeof RegisterAgent>;

/** A session of which nothing is kept any more. */
export const ForgottenSession = Type.Object({ session_id: SessionId }, { additionalProperties: false });

/** A model that the agent may call. */
export const RuntimeCandidate = Type.Object({
  provider: Type.String(),
  model: Type.String(),
  role: Type.String(),
});

export const RegisteredAgent = Type.Object({
  runtime_name: Type.String(),
  checksum: Type.String(),
  status: Type.Union([Type.Literal("registered"), Type.Literal("unchanged")]),
  candidates: Type.Array(RuntimeCandidate),
  /** Names of the tenant's agents that its tools and its chain call. */
  references: Type.Array(Type.String()),
});
export type RegisteredAgent = Static<typeof RegisteredAgent>;

export const RuntimeAgents = Type.Object({
  agents: Type.Array(Type.Object({ runtime_name: Type.String(), checksum: Type.String() })),
});
export type RuntimeAgents = Static<typeof RuntimeAgents>;
