import { type Static, Type } from "@sinclair/typebox";

/** Latest cassette format, which this version writes and reads. */
export const cassetteVersion = 1;

/** Ending of a cassette's file name. */
export const cassetteExtension = ".cassette.json";

const plain = (description: string) => Type.Record(Type.String(), Type.Unknown(), { description });

export const RecordedError = Type.Object(
  {
    kind: Type.String({ description: "Class of the error, such as `upstream_failed` or `unprocessable`." }),
    code: Type.String(),
    message: Type.String(),
    hint: Type.Optional(Type.String()),
    retry_after_seconds: Type.Optional(Type.Number()),
  },
  { description: "Error of a failed call or run." },
);
export type RecordedError = Static<typeof RecordedError>;

const RecordedUsage = Type.Object({
  inputTokens: Type.Number(),
  outputTokens: Type.Number(),
  cachedTokens: Type.Number(),
  writtenTokens: Type.Optional(Type.Number()),
  reasoningTokens: Type.Optional(Type.Number()),
  audioInputTokens: Type.Optional(Type.Number()),
  audioOutputTokens: Type.Optional(Type.Number()),
  estimated: Type.Boolean(),
});

const price = Type.Optional(
  Type.Object(
    { in: Type.Number(), out: Type.Number() },
    { description: "Price per 1000 tokens, in millionths of a US dollar." },
  ),
);

/** Events of a model call, in order: the chosen model, pieces of text and tool calls, then the end. */
export const RecordedModelEvent = Type.Union([
  Type.Object({
    type: Type.Literal("chosen"),
    provider: Type.String(),
    model: Type.String(),
    simulated: Type.Boolean(),
    attempt: Type.Integer(),
    price,
  }),
  Type.Object({
    type: Type.Literal("spent"),
    provider: Type.String(),
    model: Type.String(),
    usage: RecordedUsage,
    price,
  }),
  Type.Object({ type: Type.Literal("text"), text: Type.String() }),
  Type.Object({
    type: Type.Literal("tool_call"),
    call: Type.Object({
      id: Type.String(),
      name: Type.String(),
      input: plain("Arguments of the call."),
      unparsable: Type.Optional(Type.String()),
    }),
  }),
  Type.Object({
    type: Type.Literal("end"),
    finish: Type.Union([
      Type.Literal("stop"),
      Type.Literal("tool_calls"),
      Type.Literal("length"),
      Type.Literal("content_filter"),
    ]),
    thoughts: Type.Optional(Type.String()),
    usage: RecordedUsage,
    echo: Type.Optional(Type.Object({ of: Type.String(), content: Type.Unknown() })),
  }),
]);

const ToolAnswer = Type.Union([
  Type.Object({ success: Type.Literal(true), data: Type.Unknown() }),
  Type.Object({ success: Type.Literal(false), error: Type.String() }),
]);

const CallAnswer = Type.Object({ result: ToolAnswer });

const RecordedTurn = Type.Object({
  role: Type.Union([Type.Literal("user"), Type.Literal("assistant")]),
  content: Type.String(),
  at: Type.String({ description: "Time of the message, ISO 8601 UTC." }),
  tokenCount: Type.Number(),
  metadata: plain("Metadata stored with the message."),
});

/** Answer of each kind of entry. */
export const recordedAnswers = {
  model: Type.Object({
    events: Type.Array(RecordedModelEvent),
    error: Type.Optional(RecordedError),
  }),
  tool: CallAnswer,
  worker: CallAnswer,
  memory: Type.Object({ turns: Type.Array(RecordedTurn), error: Type.Optional(RecordedError) }),
  recall: Type.Object({
    items: Type.Array(plain("Text of semantic memory, episode, or passage of a document.")),
    error: Type.Optional(RecordedError),
  }),
  budget: Type.Object({
    answer_tokens_max: Type.Optional(Type.Number()),
    error: Type.Optional(RecordedError),
  }),
  clock: Type.Object({ at: Type.String({ description: "Recorded time, ISO 8601 UTC." }) }),
  random: Type.Object({ value: Type.Number({ minimum: 0, maximum: 1 }) }),
  id: Type.Object({ value: Type.String() }),
} as const;

export type RequestKind = keyof typeof recordedAnswers;
export type RecordedAnswer<Kind extends RequestKind> = Static<(typeof recordedAnswers)[Kind]>;

const by = Type.Object(
  { agent: Type.String(), role: Type.Optional(Type.String()) },
  { description: "Agent that made the request, and the role whose models it called." },
);

const LaterStop = Type.Object(
  {
    error: RecordedError,
    after_events: Type.Integer({ minimum: 0, description: "Number of events sent before the stop." }),
  },
  {
    description: "Error that stopped the requesting run after this answer. The run made no further requests.",
  },
);
export type LaterStop = Static<typeof LaterStop>;

const entryOf = <Kind extends RequestKind>(kind: Kind) =>
  Type.Object({
    seq: Type.Integer({
      minimum: 1,
      description: "Sequence number of the request, in order of start, from 1.",
    }),
    kind: Type.Literal(kind),
    by,
    key: Type.String({
      description: "SHA-256 hash of the requester and the request. A replay uses it to find the answer.",
    }),
    request: Type.Unknown({ description: "Recorded request." }),
    answer: recordedAnswers[kind],
    stopped: Type.Optional(
      Type.Composite([RecordedError], {
        description: "Error that had already stopped the requesting run when the answer arrived.",
      }),
    ),
    last: Type.Optional(LaterStop),
    began: Type.Integer({
      minimum: 1,
      description:
        "Position of the request's start. `began` and `ended` number the starts and ends of all entries in one sequence, from 1.",
    }),
    ended: Type.Integer({ minimum: 1 }),
    after_events: Type.Integer({ minimum: 0, description: "Number of events sent before the request." }),
  });

export const CassetteEntry = Type.Union([
  entryOf("model"),
  entryOf("tool"),
  entryOf("worker"),
  entryOf("memory"),
  entryOf("recall"),
  entryOf("budget"),
  entryOf("clock"),
  entryOf("random"),
  entryOf("id"),
]);
export type CassetteEntry = Static<typeof CassetteEntry>;
export type EntryOf<Kind extends RequestKind> = Extract<CassetteEntry, { kind: Kind }>;

const ModelFacts = Type.Object(
  {
    context_window: Type.Number({ exclusiveMinimum: 0 }),
    known_window: Type.Optional(
      Type.Number({ exclusiveMinimum: 0, description: "The window, if the operator has set it." }),
    ),
    answer_tokens_max: Type.Optional(Type.Number()),
    price,
  },
  { description: "Properties of a model that a run may call." },
);
export type ModelFacts = Static<typeof ModelFacts>;

const RecordedTool = Type.Object({
  name: Type.String(),
  type: Type.String(),
  description: Type.String(),
  parameters: plain("JSON Schema of the tool's input."),
  offered: Type.Boolean({ description: "True if every model call includes the tool." }),
  proposes: Type.Optional(
    Type.Boolean({ description: "True if calls of the tool are recorded as proposals." }),
  ),
  requires_approval: Type.Optional(Type.Boolean()),
});
export type RecordedTool = Static<typeof RecordedTool>;

export const RecordedAgent = Type.Object(
  {
    manifest: plain("Manifest of the agent as loaded, including default values."),
    models: Type.Object({ own: ModelFacts, roles: Type.Record(Type.String(), ModelFacts) }),
    tools: Type.Array(RecordedTool),
  },
  { description: "Agent that took part in the run." },
);
export type RecordedAgent = Static<typeof RecordedAgent>;

const RecordedMessage = Type.Object(
  { role: Type.String(), content: Type.String() },
  { additionalProperties: true },
);

export const RecordedRequest = Type.Object({
  query: Type.String(),
  session_id: Type.String(),
  context: plain("Values for the prompt templates."),
  history: Type.Optional(
    Type.Array(RecordedMessage, { description: "Conversation history, if the caller supplied it." }),
  ),
  limits: Type.Optional(plain("Hard limits for the run.")),
  parameters: Type.Optional(plain("Sampling parameters that replaced the agent's own.")),
  override: Type.Optional(
    plain("Changes to the agent for this run, already applied to its manifest in the cassette."),
  ),
  tool_stubs: Type.Optional(plain("Prepared results of tools, which the replay uses too.")),
  stream: Type.Boolean(),
});
export type RecordedRequest = Static<typeof RecordedRequest>;

/** A run event, as in a stream; `done` contains the whole result. */
export const RecordedEvent = Type.Unsafe<RecordedEvent>(
  Type.Object({ type: Type.String() }, { additionalProperties: true }),
);
export type RecordedEvent = { type: string } & Record<string, unknown>;

export const CassetteSummary = Type.Object({
  id: Type.String({ description: "Trace id of the run." }),
  agent: Type.String(),
  recorded_at: Type.String({ description: "Recording time, ISO 8601 UTC." }),
  session_id: Type.String(),
  query: Type.String({ description: "Beginning of the query." }),
  status: Type.Union([Type.Literal("ok"), Type.Literal("failed"), Type.Literal("stopped")], {
    description: "`stopped`: the run was cancelled or timed out, or the client disconnected.",
  }),
  error: Type.Optional(Type.String({ description: "Error code." })),
  model_calls: Type.Integer(),
  tool_calls: Type.Integer(),
  events: Type.Integer(),
  redactions: Type.Integer({ description: "Number of texts in which a secret was masked." }),
});
export type CassetteSummary = Static<typeof CassetteSummary>;

export const CassetteOutcome = Type.Union([
  Type.Object({ result: plain("Result of the run.") }),
  Type.Object({ error: RecordedError }),
  Type.Object({ left: Type.Literal(true, { description: "The client disconnected before the run ended." }) }),
]);
export type CassetteOutcome = Static<typeof CassetteOutcome>;

/** A recorded run. */
export const Cassette = Type.Object({
  version: Type.Literal(cassetteVersion),
  argosy: Type.String({ description: "Argosy version that recorded the run." }),
  summary: CassetteSummary,
  agents: Type.Record(Type.String(), RecordedAgent, {
    description: "Agents that took part in the run, by name.",
  }),
  request: RecordedRequest,
  entries: Type.Array(CassetteEntry),
  events: Type.Array(RecordedEvent),
  outcome: CassetteOutcome,
});
export type Cassette = Static<typeof Cassette>;
