import { type Static, Type } from "@sinclair/typebox";
import { Query } from "../runs/run.ts";

/** Maximum length of a query, in UTF-16 units. */
const queryLengthMax = 8192;

/** Name of a collection. */
export const CollectionName = Type.String({
  minLength: 1,
  maxLength: 63,
  pattern: "^[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$",
  description: "The collection; it is made when the first document comes.",
  fault: "must be 1 to 63 letters, digits, `.`, `_` and `-` that start and end with a letter or digit",
});

/** Id of a document. */
export const DocumentId = Type.String({
  minLength: 1,
  maxLength: 255,
  pattern: "^(?!\\.{1,2}$)[^\\u0000-\\u001f\\u007f-\\u009f\\ufeff]+$",
  description:
    "The document's id in its collection, 1 to 255 characters: whoever ingests it again replaces the document. Absent: made of the text and its metadata.",
  fault: "must be 1 to 255 characters without control characters, and not `.` or `..`",
});

const PipelineName = Type.String({
  minLength: 1,
  maxLength: 63,
  description:
    "The pipeline whose settings count; absent: the one that fills the collection, or else the defaults.",
});

const Metadata = Type.Record(Type.String(), Type.Unknown(), {
  description: "What is known of the document, at most 16 KiB as JSON; every passage of it carries this.",
});

const chunkSize = Type.Optional(
  Type.Integer({
    minimum: 1,
    maximum: 100_000,
    description: "Longest chunk, in characters (512, or as the pipeline says).",
  }),
);
const chunkOverlap = Type.Optional(
  Type.Integer({
    minimum: 0,
    maximum: 99_999,
    description:
      "Characters that neighbours may share; less than `chunk_size` (50, or as the pipeline says).",
  }),
);

export const RagDocument = Type.Object(
  {
    id: Type.Optional(DocumentId),
    text: Type.String({ minLength: 1, description: "What it says." }),
    metadata: Type.Optional(Metadata),
  },
  { additionalProperties: false },
);
export type RagDocument = Static<typeof RagDocument>;

export const IngestRequest = Type.Object(
  {
    collection: CollectionName,
    documents: Type.Array(RagDocument, {
      minItems: 1,
      maxItems: 10_000,
      description: "Each is taken whole or not at all, one after the other.",
    }),
    chunk_size: chunkSize,
    chunk_overlap: chunkOverlap,
    pipeline: Type.Optional(PipelineName),
    async: Type.Optional(
      Type.Boolean({
        description: "Whether to answer 202 with a job at once, as `Prefer: respond-async` does.",
      }),
    ),
  },
  { additionalProperties: false },
);
export type IngestRequest = Static<typeof IngestRequest>;

export const DocumentOutcome = Type.Object({
  id: Type.String(),
  status: Type.Union([Type.Literal("created"), Type.Literal("replaced"), Type.Literal("unchanged")], {
    description: "`unchanged`: the same was there already, so nothing was done.",
  }),
  chunks: Type.Integer({ description: "The chunks that it has." }),
});
export type DocumentOutcome = Static<typeof DocumentOutcome>;

export const IngestAnswer = Type.Object({
  collection: Type.String(),
  documents_ingested: Type.Integer({
    description: "Those that are in the collection now as they were sent.",
  }),
  chunks_created: Type.Integer({ description: "Chunks that were made; none for unchanged documents." }),
  documents: Type.Array(DocumentOutcome),
});
export type IngestAnswer = Static<typeof IngestAnswer>;

export const JobAccepted = Type.Object({
  job_id: Type.String(),
  status: Type.Literal("queued"),
});
export type JobAccepted = Static<typeof JobAccepted>;

export const QueryRequest = Type.Object(
  {
    collection: Type.Optional(CollectionName),
    pipeline: Type.Optional(PipelineName),
    query: Query("What to look for.", queryLengthMax),
    top_k: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1000,
        description: "Passages at most (5, or as the pipeline says).",
      }),
    ),
    score_threshold: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 1,
        description: "Passages whose `score` is lower are left out (0, or as the pipeline says).",
      }),
    ),
    mode: Type.Optional(
      Type.Union([Type.Literal("hybrid"), Type.Literal("vector"), Type.Literal("text")], {
        description:
          "What is searched by (as the pipeline says; else `hybrid`, or `vector` in stores that have no text search).",
      }),
    ),
    filters: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description:
          'What a passage\'s metadata must be: `{"year": 2026}`, `{"lang": {"in": ["en", "es"]}}`, `{"price": {"gte": 10, "lt": 20}}`; a dot leads into objects. All must hold.',
      }),
    ),
    rerank: Type.Optional(
      Type.Boolean({ description: "Whether the pipeline's reranker orders the passages (as it says)." }),
    ),
  },
  { additionalProperties: false },
);
export type QueryRequest = Static<typeof QueryRequest>;

export const RagPassage = Type.Object({
  text: Type.String(),
  score: Type.Number({ description: "Cosine similarity to the query, 0 to 1." }),
  rank_score: Type.Number({ description: "What the order goes by where it is not `score`." }),
  metadata: Type.Record(Type.String(), Type.Unknown()),
  citation: Type.Object(
    {
      document_id: Type.String(),
      chunk: Type.Integer({ description: "Which of the document's chunks, from 0." }),
      start: Type.Integer({ description: "The passage's first character in the document, from 0." }),
      end: Type.Integer({ description: "The character after its last one." }),
    },
    { description: "Where it stands. Characters are Unicode code points." },
  ),
});
export type RagPassage = Static<typeof RagPassage>;

export const QueryAnswer = Type.Object({
  results: Type.Array(RagPassage, { description: "The best first." }),
});
export type QueryAnswer = Static<typeof QueryAnswer>;

export const CollectionView = Type.Object({
  name: Type.String(),
  backend: Type.String(),
  embedder: Type.String({ description: "What its vectors are of." }),
  dimension: Type.Integer(),
  documents: Type.Integer(),
  chunks: Type.Integer(),
  pipelines: Type.Array(Type.String(), { description: "The loaded pipelines that fill it." }),
  status: Type.Union(
    [
      Type.Literal("ready"),
      Type.Literal("reindexing"),
      Type.Literal("reindex_needed"),
      Type.Literal("vectors_elsewhere"),
    ],
    {
      description:
        "`reindex_needed`: its settings name another embedder than its vectors are of; `vectors_elsewhere`: its vectors are not in the place that this process uses.",
    },
  ),
  created_at: Type.String({ description: "ISO 8601 UTC." }),
});
export type CollectionView = Static<typeof CollectionView>;

export const CollectionList = Type.Object({ collections: Type.Array(CollectionView) });
export type CollectionList = Static<typeof CollectionList>;

export const CollectionDeleted = Type.Object({
  status: Type.Literal("deleted"),
  collection: Type.String(),
  documents: Type.Integer({ description: "How many it had." }),
});
export type CollectionDeleted = Static<typeof CollectionDeleted>;

export const DocumentView = Type.Object({
  id: Type.String(),
  collection: Type.String(),
  chunks: Type.Integer(),
  characters: Type.Integer(),
  metadata: Type.Record(Type.String(), Type.Unknown()),
  created_at: Type.String({ description: "ISO 8601 UTC." }),
  updated_at: Type.String({ description: "When this version of it came." }),
});
export type DocumentView = Static<typeof DocumentView>;

const next = Type.Optional(Type.String({ description: "`cursor` of the next page; absent on the last." }));

export const DocumentList = Type.Object({
  documents: Type.Array(DocumentView, { description: "In the order of their ids." }),
  next,
});
export type DocumentList = Static<typeof DocumentList>;

export const DocumentStored = Type.Object({
  collection: Type.String(),
  id: Type.String(),
  status: DocumentOutcome.properties.status,
  chunks: Type.Integer(),
  characters: Type.Integer({ description: "Of the text that was read in the file." }),
  title: Type.Optional(Type.String()),
});
export type DocumentStored = Static<typeof DocumentStored>;

export const DocumentDeleted = Type.Object({
  status: Type.Literal("deleted"),
  collection: Type.String(),
  id: Type.String(),
});
export type DocumentDeleted = Static<typeof DocumentDeleted>;

export const ChunkView = Type.Object({
  chunk: Type.Integer({ description: "Its number in the document, from 0." }),
  text: Type.String(),
  start: Type.Integer({ description: "Its first character in the document." }),
  end: Type.Integer({ description: "The character after its last one." }),
});
export type ChunkView = Static<typeof ChunkView>;

export const ChunkList = Type.Object({
  chunks: Type.Array(ChunkView, { description: "In the document's order." }),
  next,
});
export type ChunkList = Static<typeof ChunkList>;

export const ChunkRequest = Type.Object(
  {
    text: Type.String({ minLength: 1, description: "What to cut." }),
    pipeline: Type.Optional(PipelineName),
    strategy: Type.Optional(
      Type.Union(
        [
          Type.Literal("fixed"),
          Type.Literal("recursive"),
          Type.Literal("sentence"),
          Type.Literal("semantic"),
        ],
        { description: "`recursive`, or as the pipeline says." },
      ),
    ),
    chunk_size: chunkSize,
    chunk_overlap: chunkOverlap,
  },
  { additionalProperties: false },
);
export type ChunkRequest = Static<typeof ChunkRequest>;

export const ChunkPreview = Type.Object({
  chunks: Type.Array(ChunkView, { description: "The first 1,000." }),
  count: Type.Integer({ description: "How many there are." }),
});
export type ChunkPreview = Static<typeof ChunkPreview>;

export const ReindexRequest = Type.Object(
  {
    pipeline: Type.Optional(PipelineName),
    forget_lost: Type.Optional(
      Type.Boolean({
        description: "Forget the documents whose texts are gone, and take the vector place that is used now.",
      }),
    ),
  },
  { additionalProperties: false },
);
export type ReindexRequest = Static<typeof ReindexRequest>;
