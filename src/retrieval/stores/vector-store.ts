import type { VectorFilter } from "./filters/vector-filter.ts";

/** Key of a collection. All three parts are always required. */
export interface CollectionKey {
  tenant: string;
  /** `rag`: documents; `memory`: an agent's memory; `place`: the id of the place itself. */
  kind: "rag" | "memory" | "place";
  /** Name of the collection or of the agent. */
  name: string;
}

/** Rows as columns of equal length. */
export interface VectorBatch {
  /** Unique in the collection. */
  ids: readonly string[];
  /** Key for replacing and deleting rows: the id of the document or the session. */
  groups: readonly string[];
  /** The write to which they belong: searches exclude rows of writes that were not finished or that were replaced. */
  write: string;
  texts: readonly string[];
  /** JSON objects. */
  metadata: readonly Readonly<Record<string, unknown>>[];
  /** Concatenated vectors, each with the collection's dimension. */
  vectors: Float32Array;
}

export interface VectorHit {
  id: string;
  group: string;
  text: string;
  metadata: Record<string, unknown>;
  /** Cosine similarity to the query's vector, limited to 0..1, also for rows found by their words. */
  score: number;
}

export interface VectorQuery {
  vector: Float32Array;
  limit: number;
  filter?: VectorFilter | undefined;
  /** Rows of these writes are excluded. */
  exceptWrites?: readonly string[] | undefined;
  signal: AbortSignal;
}

/**
 * Rows of one collection. A search returns as many hits as requested if that many rows pass the filter: an index that would return fewer is
 * not used. Throws AppError `vectors_unavailable` (503) if the store is unreachable, full or read-only, or the signal's reason.
 */
export interface VectorCollection {
  readonly dimension: number;
  /** Adds rows durably and replaces those with existing ids, so that a call may be repeated. */
  add(batch: VectorBatch): Promise<void>;
  /** Returns the most similar rows, best first. */
  nearest(query: VectorQuery): Promise<VectorHit[]>;
  /** Returns rows that share words with `text`, best match first by the store's own ranking; undefined if the store has no such search. */
  matching?: ((query: VectorQuery & { text: string }) => Promise<VectorHit[]>) | undefined;
  /** Removes all rows that match every given condition; no error if there are none. At least one condition is required. */
  remove(what: RowSelection): Promise<void>;
  /** Returns the number of rows, including those of unfinished writes. */
  count(): Promise<number>;
  /** Returns the matching rows in the order of their ids, without vectors; with `after`, those after that id. */
  list(what: RowSelection, page: { after?: string; limit: number }): Promise<Omit<VectorHit, "score">[]>;
  /** Makes recent writes of other processes visible; absent if they always are. */
  refresh?(): Promise<void>;
}

export interface RowSelection {
  ids?: readonly string[];
  group?: string;
  writes?: readonly string[];
  filter?: VectorFilter;
}

/** The current place of a store's collections. */
export interface VectorPlace {
  /** Id written into the place by its first user: a copy has the same id, an emptied place gets another. */
  id: string;
  /** For a folder, changes if it is replaced while the process runs, even by one with the same id; empty for servers. */
  instance: string;
}

/** A store of vector collections. */
export interface VectorStore {
  /** `lancedb`, `pgvector`, `qdrant`, `chroma`, `memory`. */
  readonly backend: string;
  /**
   * Opens the collection, and creates it if it is missing. Throws AppError `dimension_mismatch` (409) if it has vectors of another length.
   */
  open(key: CollectionKey, dimension: number): Promise<VectorCollection>;
  /** Removes the collection with all its rows; no error if there is none. */
  drop(key: CollectionKey): Promise<void>;
  /** Returns the place that is used now; undefined for the memory of this process. Throws AppError `vectors_unavailable`. */
  place(): Promise<VectorPlace | undefined>;
  /** Builds indexes and removes leftovers if due; called regularly by one loop at a time. */
  maintain?(signal: AbortSignal): Promise<void>;
  /** Like `maintain`, only for what this process has written. Called at the end of a process that is too short for `maintain`. */
  finish?(): Promise<void>;
  /** Throws AppError `vectors_unavailable` unless the store answers now. */
  check(): Promise<void>;
  close(): Promise<void>;
}
