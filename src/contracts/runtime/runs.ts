import { type Static, Type } from "@sinclair/typebox";

/** Hard limits of one run, shared by all it starts. */
export const RuntimeLimits = Type.Object(
  {
    total_tokens: Type.Integer({ minimum: 1 }),
    call_tokens: Type.Optional(Type.Integer({ minimum: 1 })),
    iterations: Type.Optional(Type.Integer({ minimum: 1 })),
    timeout_ms: Type.Integer({ minimum: 1 }),
  },
  { additionalProperties: false },
);
export type RuntimeLimits = Static<typeof RuntimeLimits>;

/** A tenant's credential for tools; never in a prompt, a trace or a log. */
export const RuntimeConnection = Type.Object(
  { base_url: Type.Optional(Type.String()), material: Type.Record(Type.String(), Type.Unknown()) },
  { additionalProperties: false },
);
export type RuntimeConnection = Static<typeof RuntimeConnection>;

/** What travels beside the caller's query and context. */
const beside = {
  connections: Type.Optional(Type.Record(Type.String(), RuntimeConnection)),
  run_token: Type.Optional(Type.String()),
  limits: RuntimeLimits,
};

export const RuntimeRun = Type.Object(
  {
    /** The invocation's id: the run is cancelled by it. */
    run_id: Type.String(),
    checksum: Type.String({
      description: "Of the spec to run; 409 `agent_outdated` when another is registered.",
    }),
    query: Type.String(),
    session_id: Type.String(),
    context: Type.Record(Type.String(), Type.Unknown()),
    stream: Type.Boolean({ description: "Whether tokens are wanted as they come." }),
    ...beside,
  },
  { additionalProperties: false },
);
export type RuntimeRun = Static<typeof RuntimeRun>;

/** A person's decision on a call that a paused run waits for; the run goes on as a new one. */
export const RuntimeDecision = Type.Object(
  {
    run_id: Type.String(),
    verdict: Type.Union([Type.Literal("approved"), Type.Literal("rejected")]),
    comment: Type.Optional(Type.String()),
    stream: Type.Boolean(),
    ...beside,
  },
  { additionalProperties: false },
);
export type RuntimeDecision = Static<typeof RuntimeDecision>;

/** What a run used of one model in one role. A call that reported nothing is counted by us: `estimated`. */
export const RuntimeUsage = Type.Object({
  provider: Type.String(),
  model: Type.String(),
  role: Type.String(),
  tokens_in: Type.Integer({ minimum: 0 }),
  tokens_out: Type.Integer({ minimum: 0 }),
  tokens_cached: Type.Integer({ minimum: 0 }),
  estimated: Type.Boolean(),
});
export type RuntimeUsage = Static<typeof RuntimeUsage>;

/** The call that a paused run waits with. */
export const RuntimeApproval = Type.Object({
  agent: Type.Optional(
    Type.String({ description: "The agent whose call it is, when that is not the one that was asked." }),
  ),
  tool: Type.Optional(Type.String()),
  input: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description: "What the tool would be called with: it is what is decided on.",
    }),
  ),
});
export type RuntimeApproval = Static<typeof RuntimeApproval>;

/**
 * The last frame of a run's event stream, exactly one, however it ended; before it stand the daemon's frames but `done` and `error`.
 * A run is cancelled by its id, and its stream read on to this frame, so that what it used is known.
 */
export const RunEnded = Type.Object({
  type: Type.Literal("ended"),
  outcome: Type.Union([
    Type.Literal("ok"),
    Type.Literal("error"),
    Type.Literal("timeout"),
    Type.Literal("cancelled"),
    Type.Literal("awaiting_approval"),
  ]),
  /** `ok`: the daemon's run result. */
  result: Type.Optional(Type.Unknown()),
  /** Otherwise: the error's code, its HTTP status at the daemon, what may be told, and facts such as a guardrail's stage. */
  error: Type.Optional(
    Type.Object({
      code: Type.String(),
      status: Type.Integer(),
      message: Type.String(),
      facts: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
      trace_id: Type.Optional(Type.String()),
      fault: Type.Optional(
        Type.Union([Type.Literal("caller"), Type.Literal("service")], {
          description:
            "`caller`: the agent's own limits, guardrails, schema or server; `service`: a provider of the operator's, or the runtime.",
        }),
      ),
    }),
  ),
  /** `awaiting_approval`. */
  approval_id: Type.Optional(Type.String()),
  approval: Type.Optional(RuntimeApproval),
  usage: Type.Array(RuntimeUsage),
  duration_ms: Type.Number(),
});
export type RunEnded = Static<typeof RunEnded>;
