import { type Static, Type } from "@sinclair/typebox";
import { CassetteOutcome, CassetteSummary, RecordedEvent } from "./cassette-file.ts";

export const CassetteList = Type.Object({
  cassettes: Type.Array(
    Type.Composite([CassetteSummary, Type.Object({ bytes: Type.Integer({ description: "Of the file." }) })]),
  ),
});
export type CassetteList = Static<typeof CassetteList>;

export const CassetteDeleted = Type.Object({ status: Type.Literal("deleted"), id: Type.String() });
export type CassetteDeleted = Static<typeof CassetteDeleted>;

const replayOptions = {
  strict: Type.Optional(
    Type.Boolean({
      description:
        "Whether a request that was not recorded ends the replay; otherwise it gets the next unused answer of its kind.",
    }),
  ),
  from: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 1_000_000,
      description: "Forks: this many model calls are played, all that come after them are made.",
    }),
  ),
  model: Type.Optional(
    Type.String({
      pattern: "^[^/]{1,63}/.{1,255}$",
      description:
        "Forks: the `provider/model` that answers from there on, for every role; absent: the loaded agents' own.",
    }),
  ),
  live_tools: Type.Optional(
    Type.Boolean({
      description:
        "Forks: whether tools are really called that the recording holds no answer of. They may change things in the world.",
    }),
  ),
  record: Type.Optional(Type.Boolean({ description: "Forks: whether the fork is recorded too." })),
};

export const ReplayRequest = Type.Object(replayOptions, { additionalProperties: false });
export type ReplayRequest = Static<typeof ReplayRequest>;

/** Like `ReplayRequest`, for a cassette in the request. */
export const ReplayGivenRequest = Type.Object(
  {
    cassette: Type.Unknown({ description: "A recorded run: what a cassette's file holds." }),
    ...replayOptions,
  },
  { additionalProperties: false },
);
export type ReplayGivenRequest = Static<typeof ReplayGivenRequest>;

export const Difference = Type.Object({
  path: Type.String({ description: "Where the two differ first: `messages[3].content`." }),
  character: Type.Optional(Type.Integer({ minimum: 1, description: "Of a text: which character." })),
  expected: Type.String({
    description: "What the recording has there; of a long text what stands around it.",
  }),
  got: Type.String(),
});
export type Difference = Static<typeof Difference>;

export const Divergence = Type.Object({
  at: Type.Union(
    [Type.Literal("request"), Type.Literal("event"), Type.Literal("outcome"), Type.Literal("unasked")],
    {
      description:
        "`request`: it was not recorded; `event`: another one was told; `outcome`: the run ended otherwise; `unasked`: a recorded answer was not asked for.",
    },
  ),
  message: Type.String({ description: "What differs, in a sentence." }),
  number: Type.Optional(
    Type.Integer({ description: "Which model call, tool call or event it is, counted from 1." }),
  ),
  kind: Type.Optional(Type.String({ description: "Of the request: `model`, `tool` …" })),
  agent: Type.Optional(Type.String()),
  role: Type.Optional(Type.String()),
  difference: Type.Optional(Difference),
  expected: Type.Optional(Type.Unknown()),
  got: Type.Optional(Type.Unknown()),
});
export type Divergence = Static<typeof Divergence>;

const Counts = Type.Object({
  events: Type.Integer(),
  model_calls: Type.Integer(),
  tool_calls: Type.Integer(),
});

/** Result of a replay. */
export const ReplayReport = Type.Object({
  mode: Type.Literal("replay"),
  cassette: Type.String(),
  agent: Type.String(),
  identical: Type.Boolean(),
  replayed: Counts,
  divergence: Type.Optional(Divergence),
  warnings: Type.Array(Type.String()),
});
export type ReplayReport = Static<typeof ReplayReport>;

/** Result of a run that continued live from a point in its recording. */
export const ForkReport = Type.Object({
  mode: Type.Literal("fork"),
  cassette: Type.String(),
  agent: Type.String(),
  played: Type.Object({ model_calls: Type.Integer(), tool_calls: Type.Integer() }),
  live: Type.Object({
    model_calls: Type.Integer(),
    tool_calls: Type.Integer(),
    tools_refused: Type.Integer({ description: "Calls of tools that were not executed." }),
  }),
  recorded: CassetteOutcome,
  outcome: CassetteOutcome,
  events: Type.Array(RecordedEvent),
  divergence: Type.Optional(Divergence),
  warnings: Type.Array(Type.String()),
  recording: Type.Optional(
    Type.String({ description: "With `record`: the id of the fork's own recording." }),
  ),
  recording_error: Type.Optional(Type.String({ description: "With `record`: why there is none." })),
});
export type ForkReport = Static<typeof ForkReport>;

export const ReplayAnswer = Type.Union([ReplayReport, ForkReport]);
export type ReplayAnswer = Static<typeof ReplayAnswer>;

/** First difference between two cassettes. */
export const CassetteComparison = Type.Object({
  identical: Type.Boolean(),
  a: CassetteSummary,
  b: CassetteSummary,
  divergence: Type.Optional(Divergence),
});
export type CassetteComparison = Static<typeof CassetteComparison>;
