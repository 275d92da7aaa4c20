import { type Static, Type } from "@sinclair/typebox";
import { Query } from "../runs/run.ts";
import { Losses, TextPlace } from "./text-place.ts";

/** Maximum length of a query, in UTF-16 units. */
const queryLengthMax = 8192;

/** Name of a collection. */
export const CollectionName = Type.String({
  minLength: 1,
  maxLength: 63,
  pattern: "^[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$",
  description: "Name of the collection. The first ingested document creates it.",
  fault: "must be 1 to 63 letters, digits, `.`, `_` and `-` that start and end with a letter or digit",
});

/** Id of a document. */
export const DocumentId = Type.String({
  minLength: 1,
  maxLength: 255,
  pattern: "^(?!\\.{1,2}$)[^\\u0000-\\u001f\\u007f-\\u009f\\ufeff]+$",
  description:
    "Document id, unique in its collection, 1 to 255 characters. Ingesting the same id again replaces the document. Default: derived from the text and its metadata.",
  fault: "must be 1 to 255 characters without control characters, and not `.` or `..`",
});

const PipelineName = Type.String({
  minLength: 1,
  maxLength: 63,
  description:
    "Pipeline whose settings apply. Default: the pipeline that fills the collection, or the default settings if there is none.",
});

const Metadata = Type.Record(Type.String(), Type.Unknown(), {
  description: "Metadata of the document, at most 16 KiB as JSON. Returned with each of its passages.",
});

const chunkSize = Type.Optional(
  Type.Integer({
    minimum: 1,
    maximum: 100_000,
    description: "Maximum chunk length in characters. Default: the pipeline's value, or 512.",
  }),
);
const chunkOverlap = Type.Optional(
  Type.Integer({
    minimum: 0,
    maximum: 99_999,
    description:
      "Maximum overlap between adjacent chunks, in characters; must be less than `chunk_size`. Default: the pipeline's value, or 50.",
  }),
);

export const RagDocument = Type.Object(
  {
    id: Type.Optional(DocumentId),
    text: Type.String({ minLength: 1, description: "Text of the document." }),
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
      description: "Documents to ingest, in order. Each is stored completely or not at all.",
    }),
    chunk_size: chunkSize,
    chunk_overlap: chunkOverlap,
    pipeline: Type.Optional(PipelineName),
    async: Type.Optional(
      Type.Boolean({
        description: "If true, returns 202 with a job immediately, as with `Prefer: respond-async`.",
      }),
    ),
  },
  { additionalProperties: false },
);
export type IngestRequest = Static<typeof IngestRequest>;

export const DocumentOutcome = Type.Object({
  id: Type.String(),
  status: Type.Union([Type.Literal("created"), Type.Literal("replaced"), Type.Literal("unchanged")], {
    description: "`unchanged`: an identical document was already stored, so it was not processed again.",
  }),
  chunks: Type.Integer({ description: "Number of chunks in the document." }),
});
export type DocumentOutcome = Static<typeof DocumentOutcome>;

export const IngestAnswer = Type.Object({
  collection: Type.String(),
  documents_ingested: Type.Integer({
    description: "Number of documents now stored as sent, including unchanged ones.",
  }),
  chunks_created: Type.Integer({ description: "Number of chunks created. Unchanged documents create none." }),
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
    query: Query(
      "Text to search for. Without letters, digits and pictures it finds nothing.",
      queryLengthMax,
    ),
    top_k: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1000,
        description: "Maximum number of passages. Default: the pipeline's value, or 5.",
      }),
    ),
    score_threshold: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 1,
        description: "Minimum `score` of a returned passage. Default: the pipeline's value, or 0.",
      }),
    ),
    mode: Type.Optional(
      Type.Union([Type.Literal("hybrid"), Type.Literal("vector"), Type.Literal("text")], {
        description:
          "Search mode. Default: the pipeline's value, or else `hybrid` (`vector` in stores without text search).",
      }),
    ),
    filters: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description:
          'Conditions on a passage\'s metadata: `{"year": 2026}`, `{"lang": {"in": ["en", "es"]}}`, `{"price": {"gte": 10, "lt": 20}}`. A dot in a key addresses a nested field. All conditions must match.',
      }),
    ),
    rerank: Type.Optional(
      Type.Boolean({
        description: "If true, the pipeline's reranker orders the passages. Default: the pipeline's value.",
      }),
    ),
  },
  { additionalProperties: false },
);
export type QueryRequest = Static<typeof QueryRequest>;

export const RagPassage = Type.Object({
  text: Type.String(),
  score: Type.Number({ description: "Cosine similarity to the query, 0 to 1." }),
  rank_score: Type.Number({
    description: "Ranking score that determines the order if the passages are not ordered by `score`.",
  }),
  metadata: Type.Record(Type.String(), Type.Unknown()),
  citation: Type.Object(
    {
      document_id: Type.String(),
      chunk: Type.Integer({ description: "Index of the chunk in the document, starting at 0." }),
      start: Type.Integer({
        description: "Offset of the passage's first character in the document, starting at 0.",
      }),
      end: Type.Integer({ description: "Offset after the last character." }),
      ...TextPlace,
    },
    { description: "Position of the passage in its document. Offsets count Unicode code points." },
  ),
});
export type RagPassage = Static<typeof RagPassage>;

export const QueryAnswer = Type.Object({
  results: Type.Array(RagPassage, { description: "Passages, best match first." }),
});
export type QueryAnswer = Static<typeof QueryAnswer>;

export const CollectionView = Type.Object({
  name: Type.String(),
  backend: Type.String(),
  embedder: Type.String({ description: "Embedder of the collection's vectors." }),
  dimension: Type.Integer(),
  documents: Type.Integer(),
  chunks: Type.Integer(),
  pipelines: Type.Array(Type.String(), { description: "Loaded pipelines that fill the collection." }),
  status: Type.Union(
    [
      Type.Literal("ready"),
      Type.Literal("reindexing"),
      Type.Literal("reindex_needed"),
      Type.Literal("vectors_elsewhere"),
    ],
    {
      description:
        "`reindex_needed`: the settings name a different embedder than the one that created the vectors; `vectors_elsewhere`: the vectors are not in the vector store that this process uses.",
    },
  ),
  created_at: Type.String({ description: "Creation time, ISO 8601 UTC." }),
});
export type CollectionView = Static<typeof CollectionView>;

export const CollectionList = Type.Object({ collections: Type.Array(CollectionView) });
export type CollectionList = Static<typeof CollectionList>;

export const CollectionDeleted = Type.Object({
  status: Type.Literal("deleted"),
  collection: Type.String(),
  documents: Type.Integer({ description: "Number of documents deleted with the collection." }),
});
export type CollectionDeleted = Static<typeof CollectionDeleted>;

export const DocumentView = Type.Object({
  id: Type.String(),
  collection: Type.String(),
  chunks: Type.Integer(),
  characters: Type.Integer(),
  metadata: Type.Record(Type.String(), Type.Unknown()),
  losses: Losses,
  created_at: Type.String({ description: "Creation time, ISO 8601 UTC." }),
  updated_at: Type.String({ description: "Time this version was stored, ISO 8601 UTC." }),
});
export type DocumentView = Static<typeof DocumentView>;

const next = Type.Optional(
  Type.String({ description: "Value of `cursor` for the next page; absent on the last page." }),
);

export const DocumentList = Type.Object({
  documents: Type.Array(DocumentView, { description: "Documents, ordered by id." }),
  next,
});
export type DocumentList = Static<typeof DocumentList>;

export const DocumentStored = Type.Object({
  collection: Type.String(),
  id: Type.String(),
  status: DocumentOutcome.properties.status,
  chunks: Type.Integer(),
  characters: Type.Integer({ description: "Length of the text extracted from the file, in characters." }),
  title: Type.Optional(Type.String()),
  losses: Losses,
});
export type DocumentStored = Static<typeof DocumentStored>;

export const DocumentDeleted = Type.Object({
  status: Type.Literal("deleted"),
  collection: Type.String(),
  id: Type.String(),
});
export type DocumentDeleted = Static<typeof DocumentDeleted>;

export const ChunkView = Type.Object({
  chunk: Type.Integer({ description: "Index of the chunk in the document, starting at 0." }),
  text: Type.String(),
  start: Type.Integer({
    description: "Offset of the chunk's first character in the document, starting at 0.",
  }),
  end: Type.Integer({ description: "Offset after the last character." }),
  ...TextPlace,
});
export type ChunkView = Static<typeof ChunkView>;

export const ChunkList = Type.Object({
  chunks: Type.Array(ChunkView, { description: "Chunks, in document order." }),
  next,
});
export type ChunkList = Static<typeof ChunkList>;

export const ChunkRequest = Type.Object(
  {
    text: Type.String({ minLength: 1, description: "Text to split into chunks." }),
    pipeline: Type.Optional(PipelineName),
    strategy: Type.Optional(
      Type.Union(
        [
          Type.Literal("fixed"),
          Type.Literal("recursive"),
          Type.Literal("sentence"),
          Type.Literal("semantic"),
        ],
        { description: "Chunking strategy. Default: the pipeline's value, or `recursive`." },
      ),
    ),
    chunk_size: chunkSize,
    chunk_overlap: chunkOverlap,
  },
  { additionalProperties: false },
);
export type ChunkRequest = Static<typeof ChunkRequest>;

export const ChunkPreview = Type.Object({
  chunks: Type.Array(ChunkView, { description: "First 1,000 chunks." }),
  count: Type.Integer({ description: "Total number of chunks." }),
});
export type ChunkPreview = Static<typeof ChunkPreview>;

export const ReindexRequest = Type.Object(
  {
    pipeline: Type.Optional(PipelineName),
    forget_lost: Type.Optional(
      Type.Boolean({
        description: "If true, deletes the documents whose texts are lost and uses the current vector store.",
      }),
    ),
  },
  { additionalProperties: false },
);
export type ReindexRequest = Static<typeof ReindexRequest>;
