import { type Static, Type } from "@sinclair/typebox";
import { UpstreamDetails } from "../../error-body.ts";
import { visiblePattern } from "../../platform/shown-name.ts";
import { TextPlace } from "../rag/text-place.ts";
import { ApprovalFrame, ToolResultFrame } from "./awaited-run.ts";
import { RunOverride } from "./run-override.ts";
import { DeclaredSource } from "./run-source.ts";
import { ToolStubs } from "./tool-stubs.ts";
import { RunTurns } from "./turns.ts";

/** Maximum length of a query: 256 KiB, counted in UTF-16 units when the request is checked. */
export const queryLengthMax = 256 * 1024;

/** Text of a query with at least one visible character. */
export const Query = (description: string, lengthMax = queryLengthMax) =>
  Type.String({
    minLength: 1,
    maxLength: lengthMax,
    pattern: visiblePattern,
    description,
    fault: `must be 1 to ${lengthMax} characters, at least one of them visible`,
  });

/** Session id: 1 to 255 characters without control characters. */
export const SessionId = Type.String({
  minLength: 1,
  maxLength: 255,
  // Clients remove `.` and `..` from a path, so such a conversation could never be read.
  pattern: "^(?!\\.{1,2}$)[^\\u0000-\\u001f\\u007f-\\u009f]+$",
  description:
    "Session id of the conversation. The same id continues the conversation. 1 to 255 characters, no control characters, not `.` or `..`.",
});

/** What a run stores in the memories of its agents. */
export const Remember = Type.Union([Type.Literal("conversation"), Type.Literal("nothing")], {
  description:
    "What the run stores. `conversation`: only the conversation, `nothing`: not even that. Memories are read in any case. Default: all memories of the agent.",
});
export type Remember = Static<typeof Remember>;

/**
 * Like `Remember`, with the choice of the services that test agents: `apart` stores only the conversation, in a session that only runs with
 * `apart` read. So a test may continue a session of tests, and no real run ever reads one.
 */
export const RunRemember = Type.Union([...Remember.anyOf, Type.Literal("apart")]);
export type RunRemember = Static<typeof RunRemember>;

export const RunRequest = Type.Object(
  {
    query: Query("Message from the user."),
    session_id: Type.Optional(SessionId),
    context: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description:
          "Values for the agent's prompt templates, at most 64 KiB as JSON. Keys that start with `_` are reserved.",
      }),
    ),
    record: Type.Optional(
      Type.Boolean({ description: "If true, records the run for replay; see `/v1/cassettes`." }),
    ),
    trace_content: Type.Optional(
      Type.Boolean({
        description:
          "If true, the trace contains the query, the answer, and the inputs and outputs of tools. Default: the value of `observability.record`.",
      }),
    ),
    override: Type.Optional(RunOverride),
    tool_stubs: Type.Optional(ToolStubs),
    remember: Type.Optional(Remember),
    turns: Type.Optional(RunTurns),
    source: Type.Optional(DeclaredSource),
  },
  { additionalProperties: false },
);
export type RunRequest = Static<typeof RunRequest>;

export const TokenUsage = Type.Object({
  input_tokens: Type.Integer({ minimum: 0 }),
  output_tokens: Type.Integer({ minimum: 0 }),
  total_tokens: Type.Integer({ minimum: 0 }),
});
export type TokenUsage = Static<typeof TokenUsage>;

export const Span = Type.Object({
  name: Type.String(),
  span_id: Type.String(),
  parent_span_id: Type.Optional(Type.String()),
  start_time: Type.String({ description: "Start time, ISO 8601 UTC." }),
  end_time: Type.String({ description: "End time, ISO 8601 UTC." }),
  duration_ms: Type.Number(),
  attributes: Type.Record(Type.String(), Type.Unknown()),
  status: Type.Union([Type.Literal("OK"), Type.Literal("ERROR")]),
});
export type Span = Static<typeof Span>;

export const Trace = Type.Object({
  trace_id: Type.String(),
  agent: Type.String(),
  session_id: Type.String(),
  status: Type.Union([Type.Literal("OK"), Type.Literal("ERROR")]),
  start_time: Type.String({ description: "Start time, ISO 8601 UTC." }),
  duration_ms: Type.Number(),
  spans: Type.Array(Span),
});
export type Trace = Static<typeof Trace>;

export const ToolCallRecord = Type.Object({
  tool: Type.String(),
  input: Type.Record(Type.String(), Type.Unknown()),
  output: Type.Unknown({ description: "Result of the tool: `{success, data}` or `{success, error}`." }),
});
export type ToolCallRecord = Static<typeof ToolCallRecord>;

export const Proposal = Type.Object(
  {
    tool: Type.String(),
    tipo: Type.String({ description: "Type of the tool." }),
    destino: Type.String({ description: "Target of the proposed call." }),
    operacion: Type.String({ description: "Operation of the proposed call." }),
    argumentos: Type.Record(Type.String(), Type.Unknown()),
    via: Type.Optional(
      Type.String({ description: "Agent that made the call, if it is not the requested agent." }),
    ),
  },
  { description: "Call of a tool with `mode: propose`, which is recorded but not executed." },
);
export type Proposal = Static<typeof Proposal>;

export const ChainLink = Type.Object({
  agent: Type.String(),
  depth: Type.Integer({
    minimum: 1,
    description: "Depth in the chain; 1 for the links of the requested agent.",
  }),
  via: Type.String({ description: "Agent whose chain contains the link." }),
  status: Type.Union([Type.Literal("success"), Type.Literal("error"), Type.Literal("skipped")]),
  answer: Type.Optional(Type.String()),
  data: Type.Optional(Type.Unknown()),
  error: Type.Optional(Type.String({ description: "Error message if the link failed." })),
  reason: Type.Optional(
    Type.Union(
      [Type.Literal("condition_false"), Type.Literal("max_depth"), Type.Literal("upstream_stopped")],
      { description: "Reason why the link was skipped." },
    ),
  ),
  duration_ms: Type.Number(),
});
export type ChainLink = Static<typeof ChainLink>;

export const ChainResult = Type.Object(
  {
    run_id: Type.String(),
    status: Type.Union([Type.Literal("completed"), Type.Literal("partial"), Type.Literal("failed")]),
    mode: Type.Union([Type.Literal("sequential"), Type.Literal("parallel")]),
    links: Type.Array(ChainLink),
  },
  { description: "Results of the agents that `spec.chain` runs after this agent." },
);
export type ChainResult = Static<typeof ChainResult>;

/** Parts of a result that only some agents declare, or only some answers have. */
const declaredResults = {
  finish: Type.Optional(
    Type.Literal("length", { description: "The limit of tokens cut the answer; absent for a whole one." }),
  ),
  data: Type.Optional(
    Type.Unknown({
      description: "With `output_schema`: object parsed from the answer, or null if there is none.",
    }),
  ),
  data_error: Type.Optional(Type.String({ description: "Reason why `data` is null." })),
  chain: Type.Optional(ChainResult),
  propuestas: Type.Optional(Type.Array(Proposal)),
};

/** Part of a result for a caller that asks for the cost. */
const costResults = {
  cost_usd: Type.Optional(
    Type.Union([Type.Number(), Type.Null()], {
      description:
        "With `cost=true`: cost of all model calls in US dollars, including those of other agents in the run. Null if the price of one is unknown.",
    }),
  ),
};

/** Parts of a result for a recorded run. */
const recordingResults = {
  cassette: Type.Optional(Type.String({ description: "With `record`: id of the recording." })),
  cassette_error: Type.Optional(
    Type.String({ description: "With `record`: reason why there is no recording." }),
  ),
};

export const RunMetadata = Type.Object({
  provider: Type.String(),
  model: Type.String(),
  pattern: Type.String(),
  iterations: Type.Integer({ description: "Number of model calls in the orchestration loop." }),
  tokens_used: Type.Integer(),
  latency_ms: Type.Number(),
  tools_called: Type.Optional(Type.Array(Type.String())),
  guardrails: Type.Optional(
    Type.Object({
      input_pii_redacted: Type.Boolean(),
      output_filtered: Type.Boolean(),
      tokens_within_budget: Type.Boolean(),
    }),
  ),
  sources: Type.Optional(
    Type.Array(
      Type.Object({
        document_id: Type.String(),
        chunk: Type.Integer(),
        start: Type.Integer({ description: "Offset of the passage's first character in the document." }),
        end: Type.Integer({ description: "Offset after the passage's last character." }),
        ...TextPlace,
        score: Type.Number(),
      }),
      {
        description: "With `knowledge`: passages included in the model's prompt. The first is numbered [1].",
      },
    ),
  ),
  simulated: Type.Optional(
    Type.Literal(true, {
      description: "True if the answer comes from the rehearsal stand-in instead of a model.",
    }),
  ),
});
export type RunMetadata = Static<typeof RunMetadata>;

export const RunResult = Type.Object({
  agent: Type.String(),
  session_id: Type.String(),
  response: Type.String(),
  tool_calls: Type.Array(ToolCallRecord),
  usage: TokenUsage,
  timing: Type.Object({
    total_ms: Type.Number(),
    model_ms: Type.Number(),
    tool_ms: Type.Number(),
  }),
  model: Type.String(),
  provider: Type.String(),
  metadata: RunMetadata,
  trace_id: Type.String(),
  ...declaredResults,
  ...recordingResults,
  ...costResults,
  trace: Type.Optional(Trace),
});
export type RunResult = Static<typeof RunResult>;

/** Frames of the WebSocket and of the event stream, distinguished by `type`. The joined contents of `token` frames equal `response`. */
export const StreamFrame = Type.Union([
  Type.Object({ type: Type.Literal("token"), content: Type.String() }),
  Type.Object({
    type: Type.Literal("tool_call"),
    id: Type.String(),
    tool: Type.String(),
    input: Type.Record(Type.String(), Type.Unknown()),
  }),
  Type.Object({
    type: Type.Literal("tool_result"),
    id: Type.String(),
    tool: Type.String(),
    ok: Type.Boolean(),
    output: Type.Unknown(),
  }),
  Type.Object(
    { type: Type.Literal("step"), name: Type.String(), content: Type.String() },
    { description: "Intermediate result, such as a plan or the output of a stage." },
  ),
  Type.Object(
    {
      type: Type.Literal("handoff"),
      from: Type.String(),
      to: Type.String(),
      reason: Type.Optional(Type.String()),
    },
    { description: "In a swarm: another agent takes over the conversation." },
  ),
  Type.Object({
    type: Type.Literal("guardrail"),
    guardrail: Type.String(),
    stage: Type.String(),
    outcome: Type.String(),
    hits: Type.Integer(),
  }),
  Type.Object({
    type: Type.Literal("done"),
    response: Type.String(),
    session_id: Type.String(),
    trace_id: Type.String(),
    usage: TokenUsage,
    timing: Type.Object({ total_ms: Type.Number() }),
    metadata: RunMetadata,
    ...declaredResults,
    ...recordingResults,
    ...costResults,
    trace: Type.Optional(Trace),
  }),
  ApprovalFrame,
  ToolResultFrame,
  Type.Object({
    type: Type.Literal("error"),
    error: Type.String(),
    message: Type.String(),
    trace_id: Type.Optional(Type.String({ description: "Trace id of the failed run." })),
    details: Type.Optional(UpstreamDetails),
    ...recordingResults,
  }),
]);
export type StreamFrame = Static<typeof StreamFrame>;
