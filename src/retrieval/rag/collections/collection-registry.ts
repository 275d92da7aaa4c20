import type { DocumentLoss } from "../../files/document-file.ts";
import type { CollectionQuota } from "./collection-quota.ts";

/** A collection of documents as it is now. */
export interface Collection {
  tenant: string;
  /** Unique id: a later collection with the same name has another one. */
  id: string;
  name: string;
  /** Name of its rows in the vector store; changes with each re-index. */
  vectors: string;
  backend: string;
  /** Id of the store in that backend; see `storeIdOf`. */
  storeId: string;
  /** Id of the vector place (`VectorPlace.id`); null: not recorded yet, or the memory of a process. */
  place: string | null;
  /** The newest write that still has a document. */
  newest: string | null;
  embedderId: string;
  dimension: number;
  createdAt: Date;
  isReindexing: boolean;
}

export interface NewCollection extends Omit<Collection, "newest" | "createdAt" | "isReindexing"> {
  /** `stranger` if someone other than the owner sent the pipeline that fills it; null: the owner. */
  sender: "stranger" | null;
}

/** The current state of a document. */
export interface DocumentRecord {
  id: string;
  /** The write to which its rows belong. */
  write: string;
  /** Hash of text and metadata. */
  contentHash: string;
  /** Chunking settings used for it. */
  chunking: string;
  chunks: number;
  /** Length of its text in code points. */
  characters: number;
  metadata: Record<string, unknown>;
  /** What was lost when its file was read; null if nothing was. */
  losses: readonly DocumentLoss[] | null;
  createdAt: Date;
  updatedAt: Date;
}

export type NewDocument = Omit<DocumentRecord, "write" | "createdAt" | "updatedAt">;

/** Rows that searches no longer return and that are waiting for removal. */
export interface DeadRows {
  write: string;
  /** Empty: all rows of the write. */
  documentId: string;
  chunks: number;
}

/** Facts about a collection that a search needs. */
export interface CollectionLook {
  collection: Collection;
  /** Writes that must not be visible: pending and dead ones. */
  hidden: readonly string[];
  /** Dead rows of writes that still have other documents. */
  stale: readonly DeadRows[];
}

export interface CollectionSize {
  documents: number;
  chunks: number;
}

export interface CollectionKeyOf {
  tenant: string;
  /** Id of the collection. */
  collection: string;
}

/** New vectors made by a re-index. */
export interface Reindexed {
  vectors: string;
  /** Id of the vector place that contains them. */
  place: string | null;
  embedderId: string;
  dimension: number;
  /** Documents whose texts are lost; they are removed. */
  lost: readonly string[];
}

/** Vectors of a collection, with all that is needed to drop them after the collection was deleted. */
export type CollectionVectors = Pick<Collection, "tenant" | "id" | "vectors" | "storeId" | "place">;

/** Vector place with leftovers. */
export interface LeftoverPlace {
  storeId: string;
  place: string | null;
}

/** Results for the documents of a write. */
export interface Committed {
  outcomes: ReadonlyMap<string, "created" | "replaced">;
  /** Rows of their previous versions. */
  dead: DeadRows[];
}

export interface DocumentPage {
  /** Return documents after this id. */
  after?: string | undefined;
  limit: number;
}

/**
 * Transactional records of collections and documents. The vector store has the rows, and this registry decides which of them are current. A
 * write is begun here before its rows are added, and then becomes current for its documents in one step. Ids and names in pages are
 * compared by code point.
 */
export interface CollectionRegistry {
  find(tenant: string, name: string): Promise<Collection | undefined>;
  look(tenant: string, name: string): Promise<CollectionLook | undefined>;
  /** Makes it unless one of that name is there; what is there then. Throws AppError `collection_limit_reached` (409). */
  create(collection: NewCollection, quota?: CollectionQuota): Promise<Collection>;
  /** Records the place of a collection that has none recorded. */
  adoptPlace(key: CollectionKeyOf, place: string): Promise<void>;
  /** Every collection of the tenant by name, with its size; or only the one with that name. */
  list(tenant: string, name?: string): Promise<(Collection & CollectionSize)[]>;
  /** Tenants that have collections, by id; those after `after`. */
  listTenants(page: { after?: string | undefined; limit: number }): Promise<string[]>;
  /** Collections of all tenants that have documents, the newest first. */
  listFilled(limit: number): Promise<Collection[]>;
  /** Removes the collection and its documents; its vectors are dropped later. Returns undefined if there is none. */
  remove(tenant: string, name: string): Promise<(Collection & CollectionSize) | undefined>;

  findDocument(key: CollectionKeyOf, id: string): Promise<DocumentRecord | undefined>;
  /** In the order of their ids. */
  listDocuments(key: CollectionKeyOf, page: DocumentPage): Promise<DocumentRecord[]>;
  /** Current writes of those `ids` that exist. */
  currentWrites(key: CollectionKeyOf, ids: readonly string[]): Promise<Map<string, string>>;

  /** Throws AppError `collection_gone` or `collection_busy` (409). */
  beginWrite(key: CollectionKeyOf, write: string): Promise<void>;
  /**
   * Makes the write current for its documents. Throws AppError `collection_gone`, `write_lost` or `document_limit_reached` (409): then none
   * of it counts.
   */
  commitWrite(
    key: CollectionKeyOf,
    write: string,
    documents: readonly NewDocument[],
    quota?: CollectionQuota,
  ): Promise<Committed>;
  /**
   * Gives up a write that may hold `documentId`, after its last row was added. `dead`: its rows are dead now. `current`: it had become
   * current. `gone`: the collection was deleted, and its vectors, which the write may have made anew, are to be dropped again.
   */
  abandonWrite(
    collection: CollectionVectors,
    write: string,
    documentId: string,
  ): Promise<"dead" | "current" | "gone">;
  /** Removes a document and returns its rows; undefined if there is no such document. Throws as `beginWrite`. */
  removeDocument(key: CollectionKeyOf, id: string): Promise<DeadRows | undefined>;
  /** Returns those of the writes that no longer have a document. */
  emptied(key: CollectionKeyOf, writes: readonly string[]): Promise<string[]>;
  /** Records rows that are unknown here. They are dead from now on, unless they are current. */
  reportStray(key: CollectionKeyOf, rows: DeadRows): Promise<void>;
  /** Forgets rows that have been removed. */
  forgetDead(key: CollectionKeyOf, rows: readonly DeadRows[]): Promise<void>;

  /**
   * Blocks writes while the collection gets new vectors with the name `vectors`. Throws AppError `collection_not_found` (404) or
   * `collection_busy` (409).
   */
  beginReindex(tenant: string, name: string, vectors: string): Promise<Collection>;
  /** Makes the new vectors current; the old ones are dropped later. Throws AppError `collection_gone` or `write_lost` (409). */
  finishReindex(key: CollectionKeyOf, made: Reindexed): Promise<void>;
  /**
   * Keeps the old vectors; the new ones, which `next` names, are dropped later. `current`: they had become current. `gone`: the collection
   * was deleted.
   */
  abandonReindex(next: CollectionVectors): Promise<"dead" | "current" | "gone">;

  /** Cleans up after dead processes: their writes become dead, and their re-indexing is undone. */
  settleAbandoned(): Promise<void>;
  /** Records that the pending work of this process is alive. */
  keepAlive(): Promise<void>;
  /** Vector places in which rows or vectors wait for removal. */
  leftoverPlaces(): Promise<LeftoverPlace[]>;
  /** Dead rows of all tenants in a place, by collection. */
  deadRows(at: LeftoverPlace, limit: number): Promise<{ collection: Collection; rows: DeadRows[] }[]>;
  /** Vectors in a place that are no longer needed and that no search can still be reading. */
  droppable(at: LeftoverPlace, limit: number): Promise<{ tenant: string; vectors: string }[]>;
  forgetDropped(vectors: string): Promise<void>;
}
