import type { CollectionQuota } from "./collection-quota.ts";

/** A collection of documents as it is now. */
export interface Collection {
  tenant: string;
  /** Its own alone: a later collection of the same name has another. */
  id: string;
  name: string;
  /** What its rows are kept under in the vector store; another name after each re-index. */
  vectors: string;
  backend: string;
  /** Which place of that backend: see `storeIdOf`. */
  storeId: string;
  /** The id written into that place; null: not recorded yet, or the memory of a process. */
  place: string | null;
  /** The newest write that a document lives in. */
  newest: string | null;
  embedderId: string;
  dimension: number;
  createdAt: Date;
  isReindexing: boolean;
}

export interface NewCollection extends Omit<Collection, "newest" | "createdAt" | "isReindexing"> {
  /** `stranger` where the pipeline that fills it was sent by someone other than the owner; null: it is the owner's. */
  sender: "stranger" | null;
}

/** A document as it is now. */
export interface DocumentRecord {
  id: string;
  /** The write that its rows are of. */
  write: string;
  /** Of text and metadata. */
  contentHash: string;
  /** How it was cut. */
  chunking: string;
  chunks: number;
  /** Length of its text in code points. */
  characters: number;
  metadata: Record<string, unknown>;
  createdAt: Date;
  updatedAt: Date;
}

export type NewDocument = Omit<DocumentRecord, "write" | "createdAt" | "updatedAt">;

/** Rows that are not there any more for whoever searches, and wait to be removed. */
export interface DeadRows {
  write: string;
  /** Empty: all rows of the write. */
  documentId: string;
  chunks: number;
}

/** What a search has to know of a collection. */
export interface CollectionLook {
  collection: Collection;
  /** Writes of which nothing may be seen: those under way, and dead ones. */
  hidden: readonly string[];
  /** Dead rows of writes that other documents still live in. */
  stale: readonly DeadRows[];
}

export interface CollectionSize {
  documents: number;
  chunks: number;
}

export interface CollectionKeyOf {
  tenant: string;
  /** The collection's id. */
  collection: string;
}

/** Vectors that a re-index made. */
export interface Reindexed {
  vectors: string;
  /** The id of the place that they are in. */
  place: string | null;
  embedderId: string;
  dimension: number;
  /** Documents whose texts are gone: they are forgotten. */
  lost: readonly string[];
}

/** Where something is left over. */
export interface LeftoverPlace {
  storeId: string;
  place: string | null;
}

/** What became of the documents of a write. */
export interface Committed {
  outcomes: ReadonlyMap<string, "created" | "replaced">;
  /** What they had been before. */
  dead: DeadRows[];
}

export interface DocumentPage {
  /** Documents whose ids follow this one. */
  after?: string | undefined;
  limit: number;
}

/**
 * What is known of collections and documents, in transactions: the vector store holds the rows, and only what stands here says
 * which of them count. A write is begun here before its rows are added and becomes its documents' current one in one step.
 * Texts of pages are compared by code point.
 */
export interface CollectionRegistry {
  find(tenant: string, name: string): Promise<Collection | undefined>;
  look(tenant: string, name: string): Promise<CollectionLook | undefined>;
  /** Makes it unless one of that name is there; what is there then. Throws AppError `collection_limit_reached` (409). */
  create(collection: NewCollection, quota?: CollectionQuota): Promise<Collection>;
  /** Records the place of a collection that has none recorded. */
  adoptPlace(key: CollectionKeyOf, place: string): Promise<void>;
  /** Every collection of the tenant, by name, with what it holds; or the one of that name. */
  list(tenant: string, name?: string): Promise<(Collection & CollectionSize)[]>;
  /** Tenants that have collections, by id; those after `after`. */
  listTenants(page: { after?: string | undefined; limit: number }): Promise<string[]>;
  /** Collections of all tenants that have documents, the newest first. */
  listFilled(limit: number): Promise<Collection[]>;
  /** The collection forgotten with its documents, its vectors left to be dropped; undefined when there is none. */
  remove(tenant: string, name: string): Promise<(Collection & CollectionSize) | undefined>;

  findDocument(key: CollectionKeyOf, id: string): Promise<DocumentRecord | undefined>;
  /** In the order of their ids. */
  listDocuments(key: CollectionKeyOf, page: DocumentPage): Promise<DocumentRecord[]>;
  /** The current writes of those documents among `ids` that are there. */
  currentWrites(key: CollectionKeyOf, ids: readonly string[]): Promise<Map<string, string>>;

  /** Throws AppError `collection_gone` or `collection_busy` (409). */
  beginWrite(key: CollectionKeyOf, write: string): Promise<void>;
  /** Makes the write current for its documents, or throws AppError `write_lost` or `document_limit_reached` (409): then none of it counts. */
  commitWrite(
    key: CollectionKeyOf,
    write: string,
    documents: readonly NewDocument[],
    quota?: CollectionQuota,
  ): Promise<Committed>;
  /** Gives up a write that may hold `documentId`: whether its rows are dead now. False: it had become current. */
  abandonWrite(key: CollectionKeyOf, write: string, documentId: string): Promise<boolean>;
  /** Forgets a document; its rows, undefined when there is no such document. Throws as `beginWrite`. */
  removeDocument(key: CollectionKeyOf, id: string): Promise<DeadRows | undefined>;
  /** Those of the writes that no document lives in. */
  emptied(key: CollectionKeyOf, writes: readonly string[]): Promise<string[]>;
  /** Rows that nothing here knows; they are dead from now on unless they are current after all. */
  reportStray(key: CollectionKeyOf, rows: DeadRows): Promise<void>;
  /** The rows have been removed. */
  forgetDead(key: CollectionKeyOf, rows: readonly DeadRows[]): Promise<void>;

  /**
   * Lets nobody write while the collection gets new vectors, kept under `vectors`. Throws AppError `collection_not_found` (404)
   * or `collection_busy` (409).
   */
  beginReindex(tenant: string, name: string, vectors: string): Promise<Collection>;
  /** The new vectors count from now on, and the old ones are left to be dropped; throws AppError `write_lost` (409). */
  finishReindex(key: CollectionKeyOf, made: Reindexed): Promise<void>;
  /** All stays as it was; the new vectors are left to be dropped. */
  abandonReindex(key: CollectionKeyOf, vectors: string): Promise<void>;

  /** What dead processes left behind: their writes are dead from now on, their re-indexing is undone. */
  settleAbandoned(): Promise<void>;
  /** Says of what this process has under way that it lives. */
  keepAlive(): Promise<void>;
  /** The places in which rows or vectors wait to be removed. */
  leftoverPlaces(): Promise<LeftoverPlace[]>;
  /** Dead rows of all tenants in a place, by collection. */
  deadRows(at: LeftoverPlace, limit: number): Promise<{ collection: Collection; rows: DeadRows[] }[]>;
  /** Vectors in a place that nobody needs any more and that no search can still be reading. */
  droppable(at: LeftoverPlace, limit: number): Promise<{ tenant: string; vectors: string }[]>;
  forgetDropped(vectors: string): Promise<void>;
}
