import type { DocumentLoss } from "../../../../retrieval/files/document-file.ts";
import type { Columns } from "../../../../storage/tables/columns.ts";

/** Records of collections and their documents. The rows with vectors are in vector stores. */
export const ragTables = ({
  table,
  id,
  text,
  integer,
  instant,
  json,
  flag,
  index,
  unique,
  primaryKey,
}: Columns) => ({
  ragCollections: table(
    "rag_collections",
    {
      tenant: id("tenant").notNull(),
      name: id("name").notNull(),
      id: id("id").notNull(),
      /** Name in the vector store. */
      vectors: text("vectors").notNull(),
      backend: text("backend").notNull(),
      storeId: text("store_id").notNull(),
      /** Id stored at the store's place; null if not yet recorded. */
      place: text("place"),
      embedderId: text("embedder_id").notNull(),
      dimension: integer("dimension").notNull(),
      createdAt: instant("created_at").notNull(),
      /** `stranger` if it was created for a pipeline that someone other than the owner sent; null if it is the owner's. */
      sender: text("sender"),
      /** New vectors while the collection is being re-indexed. */
      nextVectors: text("next_vectors"),
      /** Process that re-indexes the collection, and the end of its lease. */
      owner: text("owner"),
      heldUntil: instant("held_until"),
    },
    (collection) => [
      primaryKey({ columns: [collection.tenant, collection.name] }),
      unique("rag_collections_id").on(collection.tenant, collection.id),
    ],
  ),
  ragDocuments: table(
    "rag_documents",
    {
      tenant: id("tenant").notNull(),
      collection: id("collection").notNull(),
      id: text("id").notNull(),
      /** Write that contains the document's rows. */
      write: text("write").notNull(),
      /** True if the same write contains other documents. */
      sharesWrite: flag("shares_write").notNull(),
      contentHash: text("content_hash").notNull(),
      chunking: text("chunking").notNull(),
      chunks: integer("chunks").notNull(),
      characters: integer("characters").notNull(),
      metadata: json<Record<string, unknown>>("metadata").notNull(),
      /** What was lost when its file was read; null if nothing was. */
      losses: json<readonly DocumentLoss[]>("losses"),
      createdAt: instant("created_at").notNull(),
      updatedAt: instant("updated_at").notNull(),
    },
    (document) => [
      primaryKey({ columns: [document.tenant, document.collection, document.id] }),
      index("rag_documents_write").on(document.tenant, document.collection, document.write),
    ],
  ),
  /** Writes in progress, and rows to be removed; usually empty. */
  ragWrites: table(
    "rag_writes",
    {
      tenant: id("tenant").notNull(),
      collection: id("collection").notNull(),
      write: id("write").notNull(),
      /** Empty for all documents of the write. */
      documentId: text("document_id").notNull(),
      state: text("state").$type<"pending" | "dead">().notNull(),
      chunks: integer("chunks").notNull(),
      owner: text("owner"),
      heldUntil: instant("held_until"),
    },
    (write) => [
      primaryKey({ columns: [write.tenant, write.collection, write.write, write.documentId] }),
      index("rag_writes_state").on(write.state),
    ],
  ),
  /** Vectors to be dropped. */
  ragDropped: table("rag_dropped", {
    vectors: id("vectors").primaryKey(),
    tenant: id("tenant").notNull(),
    storeId: text("store_id").notNull(),
    /** Id of the place of the vectors; null if unknown. */
    place: text("place"),
    /** Time after which no search can be reading them. */
    dueAt: instant("due_at").notNull(),
  }),
  ragJobs: table(
    "rag_jobs",
    {
      tenant: id("tenant").notNull(),
      id: id("id").notNull(),
      kind: text("kind").$type<"ingest" | "reindex">().notNull(),
      collection: text("collection").notNull(),
      status: text("status").$type<RagJobStatus>().notNull(),
      documentsDone: integer("documents_done").notNull(),
      documentsTotal: integer("documents_total").notNull(),
      chunks: integer("chunks").notNull(),
      failed: json<RagJobFailure[]>("failed").notNull(),
      /** What was lost when files were read; null if nothing was. */
      losses: json<RagJobLoss[]>("losses"),
      errorCode: text("error_code"),
      errorMessage: text("error_message"),
      createdAt: instant("created_at").notNull(),
      endedAt: instant("ended_at"),
      owner: text("owner").notNull(),
      heldUntil: instant("held_until").notNull(),
    },
    (job) => [
      primaryKey({ columns: [job.tenant, job.id] }),
      index("rag_jobs_age").on(job.tenant, job.createdAt),
      index("rag_jobs_status").on(job.status),
    ],
  ),
});

export type RagJobStatus = "queued" | "running" | "completed" | "failed" | "cancelled" | "interrupted";

/** Something lost in a document of a job. */
export interface RagJobLoss extends DocumentLoss {
  id: string;
}

/** A document of a job that could not be ingested. */
export interface RagJobFailure {
  index: number;
  id: string;
  error: string;
  message: string;
}

export type RagTables = ReturnType<typeof ragTables>;
