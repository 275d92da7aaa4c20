import { type Static, Type } from "@sinclair/typebox";
import { traceParentPattern } from "../../kit/trace-parent.ts";
import { Question } from "../daemon/questions/question.ts";
import { questionDecision } from "../daemon/runs/approvals.ts";
import { ChannelFeedbackGiven, FeedbackGiven } from "../daemon/runs/feedback.ts";
import { RunRemember } from "../daemon/runs/run.ts";
import { DeclaredSource } from "../daemon/runs/run-source.ts";
import { ToolStubs } from "../daemon/runs/tool-stubs.ts";
import { RunTurns } from "../daemon/runs/turns.ts";
import { RunImages } from "../platform/runs/runs.ts";

/** Hard limits of one run, shared with all runs that it starts. */
export const RuntimeLimits = Type.Object(
  {
    /** Absent: the manifest's own limits alone. */
    total_tokens: Type.Optional(Type.Integer({ minimum: 1 })),
    call_tokens: Type.Optional(Type.Integer({ minimum: 1 })),
    iterations: Type.Optional(Type.Integer({ minimum: 1 })),
    timeout_ms: Type.Integer({ minimum: 1 }),
  },
  { additionalProperties: false },
);
export type RuntimeLimits = Static<typeof RuntimeLimits>;

/** A tenant's credential for tools. It must never appear in a prompt, trace or log. */
export const RuntimeConnection = Type.Object(
  { base_url: Type.Optional(Type.String()), material: Type.Record(Type.String(), Type.Unknown()) },
  { additionalProperties: false },
);
export type RuntimeConnection = Static<typeof RuntimeConnection>;

/** The person or paying party behind a tenant. All tenants of one owner share one turn in what tenants wait for. */
export const TenantOwner = Type.String({ minLength: 1, maxLength: 128 });

/** Fields besides the caller's query and context. */
const beside = {
  /** Absent: the tenant itself. */
  owner: Type.Optional(TenantOwner),
  connections: Type.Optional(Type.Record(Type.String(), RuntimeConnection)),
  run_token: Type.Optional(Type.String()),
  limits: RuntimeLimits,
};

export const RuntimeRun = Type.Object(
  {
    /** The invocation's id, by which the run can be cancelled. */
    run_id: Type.String(),
    checksum: Type.String({
      description:
        "Checksum of the spec to run. The request fails with 409 `agent_outdated` if a different spec is registered.",
    }),
    query: Type.String(),
    session_id: Type.String(),
    context: Type.Record(Type.String(), Type.Unknown()),
    images: Type.Optional(RunImages),
    turns: Type.Optional(RunTurns),
    stream: Type.Boolean({ description: "True to stream tokens as they are generated." }),
    trace_content: Type.Optional(
      Type.Boolean({ description: "Whether the trace contains texts. Default: the agent's own setting." }),
    ),
    traceparent: Type.Optional(
      Type.String({
        pattern: traceParentPattern,
        description: "Trace that the run belongs to, in the form of W3C Trace Context.",
      }),
    ),
    /** Keys by provider, for an agent with `keys: own`. They are used in this run only, and masked like connections. */
    provider_keys: Type.Optional(Type.Record(Type.String(), Type.String())),
    late_usage: Type.Optional(
      Type.Boolean({
        description:
          "True to keep the tokens that the run uses after its last frame, for example for a summary, until the control plane takes them.",
      }),
    ),
    durable: Type.Optional(
      Type.Union([Type.Literal("begin"), Type.Literal("continue")], {
        description:
          "`begin`: the runtime stores the run's steps, so that it can continue after a crash; `continue`: its process is dead, and this one continues it. The caller deletes the steps when it has recorded the end.",
      }),
    ),
    /** For runs of evals. */
    tool_stubs: Type.Optional(ToolStubs),
    /** For tests and runs of evals. */
    remember: Type.Optional(RunRemember),
    source: Type.Optional(DeclaredSource),
    ...beside,
  },
  { additionalProperties: false },
);
export type RuntimeRun = Static<typeof RuntimeRun>;

/** A person's decision on a call that a paused run waits for. The run resumes as `run_id`. */
export const RuntimeDecision = Type.Object(
  {
    run_id: Type.String(),
    verdict: Type.Union([Type.Literal("approved"), Type.Literal("rejected")]),
    comment: Type.Optional(Type.String()),
    ...questionDecision,
    stream: Type.Boolean(),
    ...beside,
  },
  { additionalProperties: false },
);
export type RuntimeDecision = Static<typeof RuntimeDecision>;

/** A run's usage of one model in one role. If the provider reports none, it is estimated and `estimated` is true. */
export const RuntimeUsage = Type.Object({
  provider: Type.String(),
  model: Type.String(),
  role: Type.String(),
  tokens_in: Type.Integer({ minimum: 0 }),
  tokens_out: Type.Integer({ minimum: 0 }),
  tokens_cached: Type.Integer({ minimum: 0 }),
  estimated: Type.Boolean(),
  cost_micros: Type.Optional(
    Type.Union([Type.Integer(), Type.Null()], {
      description: "Cost at the provider, in micros of USD. Null or absent if the model's price is unknown.",
    }),
  ),
});
export type RuntimeUsage = Static<typeof RuntimeUsage>;

/** Tokens of a model that an agent's runs used after their last frames in a UTC day. */
export const LateTokens = Type.Object({
  tenant_id: Type.String(),
  agent: Type.String({ description: "The agent's own name." }),
  day: Type.String({ description: "`YYYY-MM-DD`." }),
  tokens: Type.Integer({ description: "Negative if estimates were too high." }),
  provider: Type.Optional(Type.String()),
  model: Type.Optional(Type.String()),
  cost_micros: Type.Optional(Type.Integer({ description: "Sum of the known costs, in micros of USD." })),
  unpriced_tokens: Type.Optional(
    Type.Integer({ description: "Tokens whose cost is unknown. Default: all." }),
  ),
});
export type LateTokens = Static<typeof LateTokens>;

/** Late tokens of all tenants since they were last taken. */
export const LateUsageTaken = Type.Object({ rows: Type.Array(LateTokens) });
export type LateUsageTaken = Static<typeof LateUsageTaken>;

/** Call that a paused run waits for. */
export const RuntimeApproval = Type.Object({
  agent: Type.Optional(
    Type.String({
      description: "Agent that makes the call, if different from the agent that received the request.",
    }),
  ),
  tool: Type.Optional(Type.String()),
  input: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description: "Proposed tool input. The decision applies to this input.",
    }),
  ),
  question: Type.Optional(Question),
});
export type RuntimeApproval = Static<typeof RuntimeApproval>;

/**
 * Last frame of a run's event stream, exactly one for every outcome. Before it come the daemon's frames except `done` and `error`. After
 * cancelling a run by its id, clients must read its stream to this frame to learn the usage.
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
  /** With `ok`: the daemon's run result. */
  result: Type.Optional(Type.Unknown()),
  /**
   * With other outcomes: the error's code, its HTTP status at the daemon, a message for the caller, and facts such as a guardrail's stage.
   */
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
            "Origin of the error. `caller`: the agent's own limits, guardrails, schema or server; `service`: a provider of the operator, or the runtime.",
        }),
      ),
    }),
  ),
  /** With `awaiting_approval`. */
  approval_id: Type.Optional(Type.String()),
  approval: Type.Optional(RuntimeApproval),
  left: Type.Optional(
    Type.Boolean({
      description:
        "True if something of the run has left it beside its frames: a tool call that may have had effects, a finished run inside it (an agent tool, a link of a chain), or a call that a person decided on.",
    }),
  ),
  steps_kept: Type.Optional(
    Type.Boolean({
      description: "True if the runtime stores steps of this durable run, to be deleted by its caller.",
    }),
  ),
  usage_awaited: Type.Optional(
    Type.Boolean({
      description:
        "True if a provider may still report usage, which is estimated so far. Clients that count usage read on: a frame `corrected` follows within seconds, or the stream ends.",
    }),
  ),
  usage: Type.Array(RuntimeUsage),
  duration_ms: Type.Number(),
});
export type RunEnded = Static<typeof RunEnded>;

/** Frame after the last one of a run with `usage_awaited`: by how much the usage differs from that of the last frame. */
export const UsageCorrected = Type.Object({
  type: Type.Literal("corrected"),
  usage: Type.Array(
    Type.Composite([
      Type.Omit(RuntimeUsage, ["tokens_in", "tokens_out", "tokens_cached"]),
      Type.Object({
        tokens_in: Type.Integer(),
        tokens_out: Type.Integer(),
        tokens_cached: Type.Integer(),
      }),
    ]),
  ),
});
export type UsageCorrected = Static<typeof UsageCorrected>;

/** Durable runs whose ends are recorded, so that their steps can be deleted. */
export const EndedRuns = Type.Object(
  {
    runs: Type.Array(
      Type.Object({ tenant_id: Type.String(), run_id: Type.String() }, { additionalProperties: false }),
      { maxItems: 1000 },
    ),
  },
  { additionalProperties: false },
);
export type EndedRuns = Static<typeof EndedRuns>;

/** Traces that one request may ask for. */
export const askedTracesMax = 200;

/** Request for the texts of a tenant's traces. */
export const AskedTraces = Type.Object(
  { trace_ids: Type.Array(Type.String({ maxLength: 64 }), { maxItems: askedTracesMax }) },
  { additionalProperties: false },
);

/** Beginnings of what was asked and answered, for lists; each absent if the trace doesn't keep it. */
export const BeginningTexts = Type.Object({
  question: Type.Optional(Type.String({ description: "Beginning of the question." })),
  answer: Type.Optional(Type.String({ description: "Beginning of the answer." })),
});
export type BeginningTexts = Static<typeof BeginningTexts>;

/** Texts of the traces that keep them, in no order. */
export const TraceTexts = Type.Object({
  texts: Type.Array(Type.Composite([Type.Object({ trace_id: Type.String() }), BeginningTexts])),
});
export type TraceTexts = Static<typeof TraceTexts>;

/** Verdict on a run of a tenant: of a person, or of the users of a messaging channel. */
export const RuntimeVerdict = Type.Union([
  Type.Object({ feedback: FeedbackGiven }, { additionalProperties: false }),
  Type.Object({ channel_feedback: ChannelFeedbackGiven }, { additionalProperties: false }),
]);
export type RuntimeVerdict = Static<typeof RuntimeVerdict>;
