import { type Static, Type } from "@sinclair/typebox";
import { Query, SessionId } from "../daemon/runs/run.ts";
import { RunTurns } from "../daemon/runs/turns.ts";

export const CloudRunRequest = Type.Object(
  {
    query: Query("What the user says."),
    session_id: Type.Optional(SessionId),
    context: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: "Values for the prompt, at most 64 KiB as JSON. Keys that start with `_` are reserved.",
      }),
    ),
  },
  { additionalProperties: false },
);
export type CloudRunRequest = Static<typeof CloudRunRequest>;

/** A question to an agent that is not stored as it is sent. */
export const CloudTrial = Type.Object(
  {
    agent: Type.Object(
      {},
      { additionalProperties: true, description: "Names and config, as for a new agent; see docs/cloud.md." },
    ),
    query: Query("What the user says."),
    context: CloudRunRequest.properties.context,
    turns: Type.Optional(RunTurns),
  },
  { additionalProperties: false },
);
export type CloudTrial = Static<typeof CloudTrial>;

const figures = {
  session_id: Type.String(),
  tokens_used: Type.Integer({ minimum: 0 }),
  model: Type.String({ description: "The model that answered, `<provider>/<model>`." }),
  latency_ms: Type.Number(),
  trace_id: Type.String(),
};

export const CloudRunResult = Type.Object({ answer: Type.String(), ...figures });
export type CloudRunResult = Static<typeof CloudRunResult>;

/** Frames of the stream. The joined contents of `token` frames equal the answer. */
export const CloudFrame = Type.Union([
  Type.Object({ type: Type.Literal("token"), content: Type.String() }),
  Type.Object({
    type: Type.Literal("tool_call"),
    tool: Type.String(),
    input: Type.Record(Type.String(), Type.Unknown()),
  }),
  Type.Object({ type: Type.Literal("tool_result"), tool: Type.String(), output: Type.Unknown() }),
  Type.Object({ type: Type.Literal("done"), answer: Type.String(), ...figures }),
  Type.Object({
    type: Type.Literal("error"),
    error: Type.String(),
    message: Type.String(),
    status: Type.Integer(),
  }),
]);
export type CloudFrame = Static<typeof CloudFrame>;
