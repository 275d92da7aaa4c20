import { type Static, Type } from "@sinclair/typebox";
import { SessionId } from "../runs/run.ts";
import { UserName } from "./semantic-memory.ts";

const words = (maxLength: number, description: string) =>
  Type.String({ minLength: 1, maxLength, pattern: "\\S", description });

const fields = {
  event_type: words(100, "What kind of thing happened; `run` for a run of the agent."),
  summary: words(4000, "What happened, in a sentence or two."),
  outcome: words(100, "What came of it: `ok`, `error`, `blocked`, `timeout` for runs."),
};

export const EpisodeRecord = Type.Object({
  id: Type.String(),
  event_type: Type.String(),
  summary: Type.String(),
  context: Type.Record(Type.String(), Type.Unknown(), {
    description: "Of a run: `session_id`, `trace_id`, `tools`, `error`.",
  }),
  outcome: Type.String(),
  timestamp: Type.String({ description: "ISO 8601 UTC." }),
  importance: Type.Number({ description: "0 to 1." }),
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
        description: "What else is known of it, at most 16 KiB as JSON.",
      }),
    ),
    outcome: Type.Optional(fields.outcome),
    timestamp: Type.Optional(
      Type.String({ maxLength: 64, description: "When it happened: ISO 8601; absent: now." }),
    ),
    importance: Type.Optional(
      Type.Number({ minimum: 0, maximum: 1, description: "How much it matters later; 0.5 unless given." }),
    ),
    session_id: Type.Optional(SessionId),
    user: Type.Optional(UserName),
  },
  { additionalProperties: false },
);
export type NewEpisode = Static<typeof NewEpisode>;

export const EpisodeList = Type.Object({
  episodes: Type.Array(EpisodeRecord),
  next_cursor: Type.Optional(Type.String({ description: "For the next page; absent: this is the last." })),
});
export type EpisodeList = Static<typeof EpisodeList>;

export const EpisodesForgotten = Type.Object({
  status: Type.Literal("forgotten"),
  agent: Type.String(),
  episodes: Type.Integer({ description: "How many are gone." }),
});
export type EpisodesForgotten = Static<typeof EpisodesForgotten>;
