import { type Static, Type } from "@sinclair/typebox";
import { SessionId } from "../runs/run.ts";

/** Maximum number of characters of one text in a memory. */
export const memoryTextMax = 50_000;

/** Name of the speaker: `context.user_id` of a run. */
export const UserName = Type.String({
  minLength: 1,
  maxLength: 255,
  pattern: "^[^\\u0000-\\u001f\\u007f-\\u009f]+$",
  description: "Who said it, as runs name them in `context.user_id`.",
});

const metadata = (description: string) => Type.Record(Type.String(), Type.Unknown(), { description });

const shownMetadata = metadata(
  "What was stored beside it. Of what was said in a run: `id`, `role`, `session_id`, `user`, `trace_id`, `timestamp`; of a piece of a long text also `piece` and `pieces`.",
);

export const SemanticResults = Type.Object({
  results: Type.Array(
    Type.Object({
      text: Type.String(),
      score: Type.Number({ description: "Cosine similarity to the query, 0 to 1." }),
      metadata: shownMetadata,
      source: Type.String({ description: "The session it was said in, or what its metadata call `source`." }),
    }),
  ),
});
export type SemanticResults = Static<typeof SemanticResults>;

export const NewMemory = Type.Object(
  {
    text: Type.String({
      minLength: 1,
      maxLength: memoryTextMax,
      pattern: "\\S",
      description: "What the agent is to remember.",
    }),
    metadata: Type.Optional(
      Type.Record(Type.String({ pattern: "^(?!argosy_)[\\s\\S]{1,128}$" }), Type.Unknown(), {
        additionalProperties: false,
        maxProperties: 64,
        description:
          "What is known of it; `source` says where it comes from. Keys can't begin with `argosy_`.",
      }),
    ),
    session_id: Type.Optional(SessionId),
    user: Type.Optional(UserName),
  },
  { additionalProperties: false },
);
export type NewMemory = Static<typeof NewMemory>;

export const MemoryAdded = Type.Object({
  id: Type.String({ description: "What it can be forgotten by." }),
  status: Type.Literal("stored"),
});
export type MemoryAdded = Static<typeof MemoryAdded>;

export const MemoryTexts = Type.Object({
  texts: Type.Array(Type.Object({ id: Type.String(), text: Type.String(), metadata: shownMetadata })),
  next_cursor: Type.Optional(Type.String({ description: "For the next page; absent: this is the last." })),
});
export type MemoryTexts = Static<typeof MemoryTexts>;

export const MemoryForgotten = Type.Object({
  status: Type.Literal("forgotten"),
  agent: Type.String(),
  texts: Type.Integer({ description: "How many texts are gone." }),
});
export type MemoryForgotten = Static<typeof MemoryForgotten>;

export const MemoryReindexing = Type.Object({
  status: Type.Literal("indexing"),
  agent: Type.String(),
  texts: Type.Integer({ description: "How many texts are found again bit by bit." }),
});
export type MemoryReindexing = Static<typeof MemoryReindexing>;

export const SessionForgotten = Type.Object({
  status: Type.Literal("forgotten"),
  agent: Type.String(),
  session_id: Type.String(),
  messages: Type.Integer({ description: "Messages of its conversation that are gone." }),
  texts: Type.Integer({ description: "Texts of semantic memory that are gone." }),
  episodes: Type.Integer({ description: "Episodes that are gone." }),
});
export type SessionForgotten = Static<typeof SessionForgotten>;
