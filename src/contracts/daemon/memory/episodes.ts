import { type Static, Type } from "@sinclair/typebox";
import { SessionId } from "../runs/run.ts";
import { UserName } from "./semantic-memory.ts";

const words = (maxLength: number, description: string) =>
  Type.String({ minLength: 1, maxLength, pattern: "\\S", description });

const fields = {
  event_type: words(100, "Type of the event; `run` for a run of the agent."),
  summary: words(4000, "Summary of the event in one or two sentences."),
  outcome: words(100, "Outcome of the event; for runs `ok`, `error`, `blocked` or `timeout`."),
};

export const EpisodeRecord = Type.Object({
  id: Type.String(),
  event_type: Type.String(),
  summary: Type.String(),
  context: Type.Record(Type.String(), Type.Unknown(), {
    description: "Details of the event. For a run: `session_id`, `trace_id`, `tools`, `error`.",
  }),
  outcome: Type.String(),
  timestamp: Type.String({ description: "Time of the event, ISO 8601 UTC." }),
  importance: Type.Number({ description: "Importance for later recall, 0 to 1." }),
  session_id: Type.Optional(Type.String()),
  user: Type.Optional(Type.String()),
});
export type EpisodeRecord = Static<typeof EpisodeRecord>;

export const NewEpisode = Type.Object(
  {
    event_type: fields.event_type,
    summary: fields.summary,
    context: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        maxProperties: 64,
        description: "Details of the event, at most 16 KiB as JSON.",
      }),
    ),
    outcome: Type.Optional(fields.outcome),
    timestamp: Type.Optional(
      Type.String({ maxLength: 64, description: "Time of the event, ISO 8601. Default: the current time." }),
    ),
    importance: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 1,
        description: "Importance for later recall, 0 to 1; default 0.5.",
      }),
    ),
    session_id: Type.Optional(SessionId),
    user: Type.Optional(UserName),
  },
  { additionalProperties: false },
);
export type NewEpisode = Static<typeof NewEpisode>;

export const EpisodeList = Type.Object({
  episodes: Type.Array(EpisodeRecord),
  next_cursor: Type.Optional(
    Type.String({ description: "Cursor for the next page; absent on the last page." }),
  ),
});
export type EpisodeList = Static<typeof EpisodeList>;

export const EpisodesForgotten = Type.Object({
  status: Type.Literal("forgotten"),
  agent: Type.String(),
  episodes: Type.Integer({ description: "Number of episodes deleted." }),
});
export type EpisodesForgotten = Static<typeof EpisodesForgotten>;
