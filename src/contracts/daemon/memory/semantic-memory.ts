import { type Static, Type } from "@sinclair/typebox";
import { SessionId } from "../runs/run.ts";

/** Maximum number of characters of one text in a memory. */
export const memoryTextMax = 50_000;

/** Name of the speaker: `context.user_id` of a run. */
export const UserName = Type.String({
  minLength: 1,
  maxLength: 255,
  pattern: "^[^\\u0000-\\u001f\\u007f-\\u009f]+$",
  description: "User who said the text, as in `context.user_id` of a run.",
});

const metadata = (description: string) => Type.Record(Type.String(), Type.Unknown(), { description });

const shownMetadata = metadata(
  "Metadata stored with the text. For a message of a run: `id`, `role`, `session_id`, `user`, `trace_id`, `timestamp`; for a piece of a long text also `piece` and `pieces`.",
);

export const SemanticResults = Type.Object({
  results: Type.Array(
    Type.Object({
      text: Type.String(),
      score: Type.Number({ description: "Cosine similarity to the query, 0 to 1." }),
      metadata: shownMetadata,
      source: Type.String({ description: "Session of the text, or the `source` from its metadata." }),
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
      description: "Text that the agent should remember.",
    }),
    metadata: Type.Optional(
      Type.Record(Type.String({ pattern: "^(?!argosy_)[\\s\\S]{1,128}$" }), Type.Unknown(), {
        additionalProperties: false,
        maxProperties: 64,
        description: "Metadata of the text; `source` names its origin. Keys cannot start with `argosy_`.",
      }),
    ),
    session_id: Type.Optional(SessionId),
    user: Type.Optional(UserName),
  },
  { additionalProperties: false },
);
export type NewMemory = Static<typeof NewMemory>;

export const MemoryAdded = Type.Object({
  id: Type.String({ description: "Id of the text, for deleting it." }),
  status: Type.Literal("stored"),
});
export type MemoryAdded = Static<typeof MemoryAdded>;

export const MemoryTexts = Type.Object({
  texts: Type.Array(Type.Object({ id: Type.String(), text: Type.String(), metadata: shownMetadata })),
  next_cursor: Type.Optional(
    Type.String({ description: "Cursor for the next page; absent on the last page." }),
  ),
});
export type MemoryTexts = Static<typeof MemoryTexts>;

export const MemoryForgotten = Type.Object({
  status: Type.Literal("forgotten"),
  agent: Type.String(),
  texts: Type.Integer({ description: "Number of texts deleted." }),
});
export type MemoryForgotten = Static<typeof MemoryForgotten>;

export const MemoryReindexing = Type.Object({
  status: Type.Literal("indexing"),
  agent: Type.String(),
  texts: Type.Integer({
    description: "Number of texts to index. Texts become searchable again as indexing proceeds.",
  }),
});
export type MemoryReindexing = Static<typeof MemoryReindexing>;

export const SessionForgotten = Type.Object({
  status: Type.Literal("forgotten"),
  agent: Type.String(),
  session_id: Type.String(),
  messages: Type.Integer({ description: "Number of conversation messages deleted." }),
  texts: Type.Integer({ description: "Number of semantic memory texts deleted." }),
  episodes: Type.Integer({ description: "Number of episodes deleted." }),
  responses: Type.Integer({ description: "Number of stored responses deleted." }),
});
export type SessionForgotten = Static<typeof SessionForgotten>;
