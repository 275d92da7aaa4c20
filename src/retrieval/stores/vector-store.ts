import type { VectorFilter } from "./vector-filter.ts";

/** Whose vectors and which: never without all three. */
export interface CollectionKey {
  tenant: string;
  /** `rag`: documents; `memory`: what an agent remembers; `place`: the id of the place itself. */
  kind: "rag" | "memory" | "place";
  /** The collection's name, or the agent's. */
  name: string;
}

/** Rows in columns, all of the same length. */
export interface VectorBatch {
  /** Unique in the collection. */
  ids: readonly string[];
  /** What rows are replaced and deleted by: the document's id, or the session's. */
  groups: readonly string[];
  /** The write that they belong to: rows of a write that was never finished, or replaced, are left out of searches. */
  write: string;
  texts: readonly string[];
  /** JSON objects. */
  metadata: readonly Readonly<Record<string, unknown>>[];
  /** End to end, each of the collection's dimension. */
  vectors: Float32Array;
}

export interface VectorHit {
  id: string;
  group: string;
  text: string;
  metadata: Record<string, unknown>;
  /** Cosine similarity to the query's vector, cut to 0..1; also of rows that were found by their words. */
  score: number;
}

export interface VectorQuery {
  vector: Float32Array;
  limit: number;
  filter?: VectorFilter | undefined;
  /** Rows of these writes don't exist. */
  exceptWrites?: readonly string[] | undefined;
  signal: AbortSignal;
}

/**
 * One collection's rows. As many hits as asked for, whenever so many rows pass the filter: an index that would return fewer is
 * not used. Throws AppError `vectors_unavailable` (503) when the store can't be reached, is full or read-only, or the
 * signal's reason.
 */
export interface VectorCollection {
  readonly dimension: number;
  /** Adds rows; those whose id is there already are replaced, so that a call may be repeated. On disk when it resolves. */
  add(batch: VectorBatch): Promise<void>;
  /** The most similar rows, best first. */
  nearest(query: VectorQuery): Promise<VectorHit[]>;
  /** Rows that share words with `text`, best match first by the store's own measure; undefined: the store has no such search. */
  matching?: ((query: VectorQuery & { text: string }) => Promise<VectorHit[]>) | undefined;
  /** Removes all rows that match everything named here, and says nothing when there is none. At least one must be named. */
  remove(what: RowSelection): Promise<void>;
  /** How many rows there are, those of unfinished writes included. */
  count(): Promise<number>;
  /** The rows that match, in the order of their ids, without vectors; `after` an id: those that follow it. */
  list(what: RowSelection, page: { after?: string; limit: number }): Promise<Omit<VectorHit, "score">[]>;
  /** Shows what other processes have written by now; absent: that is always shown. */
  refresh?(): Promise<void>;
}

export interface RowSelection {
  ids?: readonly string[];
  group?: string;
  writes?: readonly string[];
  filter?: VectorFilter;
}

/** A place that keeps collections, as it is now. */
export interface VectorPlace {
  /** Written into the place by its first user: a copy has the same id, an emptied place gets another. */
  id: string;
  /** Of a folder, changes when it is exchanged while the process runs, even for one with the same id; empty for servers. */
  instance: string;
}

/** A place that keeps collections of vectors. */
export interface VectorStore {
  /** `lancedb`, `pgvector`, `qdrant`, `chroma`, `memory`. */
  readonly backend: string;
  /**
   * The collection, made when it isn't there. Throws AppError `dimension_mismatch` (409) when it is there with vectors of
   * another length.
   */
  open(key: CollectionKey, dimension: number): Promise<VectorCollection>;
  /** Removes the collection with all its rows; nothing happens when there is none. */
  drop(key: CollectionKey): Promise<void>;
  /** The place that is used now; undefined: the memory of this process. Throws AppError `vectors_unavailable`. */
  place(): Promise<VectorPlace | undefined>;
  /** Makes indexes and clears what is left over, where that is due; called now and then by one loop at a time. */
  maintain?(signal: AbortSignal): Promise<void>;
  /** Throws AppError `vectors_unavailable` unless the store answers now. */
  check(): Promise<void>;
  close(): Promise<void>;
}
