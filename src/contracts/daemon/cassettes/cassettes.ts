import { type Static, Type } from "@sinclair/typebox";
import { CassetteOutcome, CassetteSummary, RecordedEvent } from "./cassette-file.ts";

export const CassetteList = Type.Object({
  cassettes: Type.Array(
    Type.Composite([
      CassetteSummary,
      Type.Object({ bytes: Type.Integer({ description: "Size of the cassette file in bytes." }) }),
    ]),
  ),
});
export type CassetteList = Static<typeof CassetteList>;

export const CassetteDeleted = Type.Object({ status: Type.Literal("deleted"), id: Type.String() });
export type CassetteDeleted = Static<typeof CassetteDeleted>;

const replayOptions = {
  strict: Type.Optional(
    Type.Boolean({
      description:
        "If true, a request that was not recorded ends the replay. Otherwise it receives the next unused answer of its kind.",
    }),
  ),
  from: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 1_000_000,
      description: "Fork: number of model calls to replay from the recording. Later calls are made live.",
    }),
  ),
  model: Type.Optional(
    Type.String({
      pattern: "^[^/]{1,63}/.{1,255}$",
      description:
        "Fork: `provider/model` for the live calls of every role. Default: the models of the loaded agents.",
    }),
  ),
  live_tools: Type.Optional(
    Type.Boolean({
      description:
        "Fork: if true, executes tool calls that have no recorded answer. These calls may have side effects.",
    }),
  ),
  record: Type.Optional(Type.Boolean({ description: "Fork: if true, records the fork." })),
};

export const ReplayRequest = Type.Object(replayOptions, { additionalProperties: false });
export type ReplayRequest = Static<typeof ReplayRequest>;

/** Like `ReplayRequest`, for a cassette in the request. */
export const ReplayGivenRequest = Type.Object(
  {
    cassette: Type.Unknown({ description: "Recorded run: the content of a cassette file." }),
    ...replayOptions,
  },
  { additionalProperties: false },
);
export type ReplayGivenRequest = Static<typeof ReplayGivenRequest>;

export const Difference = Type.Object({
  path: Type.String({ description: "Path of the first difference, such as `messages[3].content`." }),
  character: Type.Optional(
    Type.Integer({ minimum: 1, description: "Position of the first differing character in a text, from 1." }),
  ),
  expected: Type.String({
    description: "Recorded value; for a long text, an excerpt around the difference.",
  }),
  got: Type.String(),
});
export type Difference = Static<typeof Difference>;

export const Divergence = Type.Object({
  at: Type.Union(
    [Type.Literal("request"), Type.Literal("event"), Type.Literal("outcome"), Type.Literal("unasked")],
    {
      description:
        "`request`: the request was not recorded; `event`: a different event was sent; `outcome`: the run ended differently; `unasked`: a recorded answer was not requested.",
    },
  ),
  message: Type.String({ description: "Description of the difference, in one sentence." }),
  number: Type.Optional(
    Type.Integer({ description: "Number of the model call, tool call or event, from 1." }),
  ),
  kind: Type.Optional(Type.String({ description: "Kind of request, such as `model` or `tool`." })),
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
    tools_refused: Type.Integer({ description: "Number of tool calls that were not executed." }),
  }),
  recorded: CassetteOutcome,
  outcome: CassetteOutcome,
  events: Type.Array(RecordedEvent),
  divergence: Type.Optional(Divergence),
  warnings: Type.Array(Type.String()),
  recording: Type.Optional(Type.String({ description: "With `record`: id of the fork's recording." })),
  recording_error: Type.Optional(
    Type.String({ description: "With `record`: reason why there is no recording." }),
  ),
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
