import type { Columns } from "../../../storage/columns.ts";

/** What is known of collections and their documents; their rows with vectors are in vector stores. */
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
      /** The name in the vector store. */
      vectors: text("vectors").notNull(),
      backend: text("backend").notNull(),
      storeId: text("store_id").notNull(),
      /** The id written into the store's place; null: not recorded yet. */
      place: text("place"),
      embedderId: text("embedder_id").notNull(),
      dimension: integer("dimension").notNull(),
      createdAt: instant("created_at").notNull(),
      /** `stranger`: made for a pipeline that someone other than the owner sent; null: the owner's. */
      sender: text("sender"),
      /** The vectors that are being made while it is re-indexed. */
      nextVectors: text("next_vectors"),
      /** The process that re-indexes it, and until when it is trusted to be alive. */
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
      /** The write whose rows are its own. */
      write: text("write").notNull(),
      /** Whether other documents were written by the same. */
      sharesWrite: flag("shares_write").notNull(),
      contentHash: text("content_hash").notNull(),
      chunking: text("chunking").notNull(),
      chunks: integer("chunks").notNull(),
      characters: integer("characters").notNull(),
      metadata: json<Record<string, unknown>>("metadata").notNull(),
      createdAt: instant("created_at").notNull(),
      updatedAt: instant("updated_at").notNull(),
    },
    (document) => [
      primaryKey({ columns: [document.tenant, document.collection, document.id] }),
      index("rag_documents_write").on(document.tenant, document.collection, document.write),
    ],
  ),
  /** Writes under way, and rows that wait to be removed; normally empty. */
  ragWrites: table(
    "rag_writes",
    {
      tenant: id("tenant").notNull(),
      collection: id("collection").notNull(),
      write: id("write").notNull(),
      /** Empty: all documents of the write. */
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
  /** Vectors that nobody needs any more. */
  ragDropped: table("rag_dropped", {
    vectors: id("vectors").primaryKey(),
    tenant: id("tenant").notNull(),
    storeId: text("store_id").notNull(),
    /** The id of the place that they are in; null: not known. */
    place: text("place"),
    /** When nobody can be searching them any more. */
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

/** A document of a job that could not be taken. */
export interface RagJobFailure {
  index: number;
  id: string;
  error: string;
  message: string;
}

export type RagTables = ReturnType<typeof ragTables>;
