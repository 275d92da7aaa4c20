import { type Static, Type } from "@sinclair/typebox";

/** Latest cassette format, which this version writes and reads. */
export const cassetteVersion = 1;

/** Ending of a cassette's file name. */
export const cassetteExtension = ".cassette.json";

const plain = (description: string) => Type.Record(Type.String(), Type.Unknown(), { description });

export const RecordedError = Type.Object(
  {
    kind: Type.String({ description: "The class of the error: `upstream_failed`, `unprocessable` …" }),
    code: Type.String(),
    message: Type.String(),
    hint: Type.Optional(Type.String()),
    retry_after_seconds: Type.Optional(Type.Number()),
  },
  { description: "How a call or the run failed." },
);
export type RecordedError = Static<typeof RecordedError>;

const RecordedUsage = Type.Object({
  inputTokens: Type.Number(),
  outputTokens: Type.Number(),
  cachedTokens: Type.Number(),
  writtenTokens: Type.Optional(Type.Number()),
  estimated: Type.Boolean(),
});

const price = Type.Optional(
  Type.Object({ in: Type.Number(), out: Type.Number() }, { description: "Micros of USD per 1000 tokens." }),
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
      input: plain("The arguments."),
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
  at: Type.String({ description: "ISO 8601 UTC." }),
  tokenCount: Type.Number(),
  metadata: plain("What was stored beside it."),
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
    items: Type.Array(plain("A text of semantic memory, an episode, or a passage of a document.")),
    error: Type.Optional(RecordedError),
  }),
  budget: Type.Object({
    answer_tokens_max: Type.Optional(Type.Number()),
    error: Type.Optional(RecordedError),
  }),
  clock: Type.Object({ at: Type.String({ description: "ISO 8601 UTC." }) }),
  random: Type.Object({ value: Type.Number({ minimum: 0, maximum: 1 }) }),
  id: Type.Object({ value: Type.String() }),
} as const;

export type RequestKind = keyof typeof recordedAnswers;
export type RecordedAnswer<Kind extends RequestKind> = Static<(typeof recordedAnswers)[Kind]>;

const by = Type.Object(
  { agent: Type.String(), role: Type.Optional(Type.String()) },
  { description: "The agent that asked, and the role whose models it asked." },
);

const LaterStop = Type.Object(
  {
    error: RecordedError,
    after_events: Type.Integer({ minimum: 0, description: "Events that had been told then." }),
  },
  { description: "What stopped the run that asked some time after this answer: it asked for nothing more." },
);
export type LaterStop = Static<typeof LaterStop>;

const entryOf = <Kind extends RequestKind>(kind: Kind) =>
  Type.Object({
    seq: Type.Integer({ minimum: 1, description: "Counts the requests in the order in which they began." }),
    kind: Type.Literal(kind),
    by,
    key: Type.String({ description: "SHA-256 of who asked for what: what a replay finds the answer by." }),
    request: Type.Unknown({ description: "What was asked." }),
    answer: recordedAnswers[kind],
    stopped: Type.Optional(
      Type.Composite([RecordedError], {
        description: "What had stopped the run that asked when the answer came.",
      }),
    ),
    last: Type.Optional(LaterStop),
    began: Type.Integer({
      minimum: 1,
      description:
        "With `ended`: when it began and ended, counted over the beginnings and ends of all entries.",
    }),
    ended: Type.Integer({ minimum: 1 }),
    after_events: Type.Integer({ minimum: 0, description: "Events that had been told when it was asked." }),
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
    answer_tokens_max: Type.Optional(Type.Number()),
    price,
  },
  { description: "What a run knows of the models that it may call." },
);
export type ModelFacts = Static<typeof ModelFacts>;

const RecordedTool = Type.Object({
  name: Type.String(),
  type: Type.String(),
  description: Type.String(),
  parameters: plain("JSON Schema of the input."),
  offered: Type.Boolean({ description: "Whether the model is told of it in every call." }),
  proposes: Type.Optional(Type.Boolean({ description: "Whether its calls are recorded as proposals." })),
  requires_approval: Type.Optional(Type.Boolean()),
});
export type RecordedTool = Static<typeof RecordedTool>;

export const RecordedAgent = Type.Object(
  {
    manifest: plain("The agent's manifest as it was read, with defaults filled in."),
    models: Type.Object({ own: ModelFacts, roles: Type.Record(Type.String(), ModelFacts) }),
    tools: Type.Array(RecordedTool),
  },
  { description: "An agent that took part." },
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
    Type.Array(RecordedMessage, { description: "The conversation, where the caller brought it." }),
  ),
  limits: Type.Optional(plain("Hard limits of the run.")),
  parameters: Type.Optional(plain("Sampling parameters that won over the agent's own.")),
  override: Type.Optional(
    plain("What of the agent was another for this run; its manifest in the cassette has it already."),
  ),
  stream: Type.Boolean(),
});
export type RecordedRequest = Static<typeof RecordedRequest>;

/** A run event, as in a stream; `done` contains the whole result. */
export const RecordedEvent = Type.Unsafe<RecordedEvent>(
  Type.Object({ type: Type.String() }, { additionalProperties: true }),
);
export type RecordedEvent = { type: string } & Record<string, unknown>;

export const CassetteSummary = Type.Object({
  id: Type.String({ description: "The trace id of the run." }),
  agent: Type.String(),
  recorded_at: Type.String({ description: "ISO 8601 UTC." }),
  session_id: Type.String(),
  query: Type.String({ description: "The beginning of what was asked." }),
  status: Type.Union([Type.Literal("ok"), Type.Literal("failed"), Type.Literal("stopped")], {
    description: "`stopped`: the run was cancelled, its time ran out, or its reader left.",
  }),
  error: Type.Optional(Type.String({ description: "The code of the error." })),
  model_calls: Type.Integer(),
  tool_calls: Type.Integer(),
  events: Type.Integer(),
  redactions: Type.Integer({ description: "Texts in which a secret was masked." }),
});
export type CassetteSummary = Static<typeof CassetteSummary>;

export const CassetteOutcome = Type.Union([
  Type.Object({ result: plain("The run's result.") }),
  Type.Object({ error: RecordedError }),
  Type.Object({ left: Type.Literal(true, { description: "The reader stopped reading." }) }),
]);
export type CassetteOutcome = Static<typeof CassetteOutcome>;

/** A recorded run. */
export const Cassette = Type.Object({
  version: Type.Literal(cassetteVersion),
  argosy: Type.String({ description: "The version that recorded it." }),
  summary: CassetteSummary,
  agents: Type.Record(Type.String(), RecordedAgent, { description: "Every agent that took part, by name." }),
  request: RecordedRequest,
  entries: Type.Array(CassetteEntry),
  events: Type.Array(RecordedEvent),
  outcome: CassetteOutcome,
});
export type Cassette = Static<typeof Cassette>;
