import { type Static, Type } from "@sinclair/typebox";
import type {
  ChunkList,
  CollectionDeleted,
  CollectionList,
  CollectionView,
  DocumentList,
  DocumentStored,
  DocumentView,
  QueryAnswer,
  QueryRequest,
} from "../daemon/rag/rag.ts";
import type { PageQuery } from "../page-query.ts";

/** Tenants that have collections, by id. */
export const DocumentTenants = Type.Object({
  tenants: Type.Array(Type.String()),
  next: Type.Optional(
    Type.String({ description: "Value of `after` for the next page. Absent on the last page." }),
  ),
});
export type DocumentTenants = Static<typeof DocumentTenants>;

/** How much a tenant may keep, as its plan says. Null: no limit; 0: nothing. */
export interface TenantQuota {
  collections_max: number | null;
  documents_max: number | null;
}

export interface DocumentPlace {
  collection: string;
  id: string;
}

/** A file that becomes a document. */
export interface TenantFile {
  bytes: Uint8Array<ArrayBuffer>;
  contentType: string | undefined;
  /** The file's name. */
  name?: string | undefined;
  /** A JSON object. */
  metadata?: string | undefined;
}

/**
 * The documents of tenants, which the runtime keeps beside what its agents remember: a name means a collection of the tenant that is
 * named with it, and no other. `owner` is the person or paying party behind the tenant. Refusals arrive as the AppError that the runtime sent.
 */
export interface RuntimeDocuments {
  tenants(after?: string): Promise<DocumentTenants>;
  /** Deletes everything that a tenant keeps. */
  forget(tenantId: string): Promise<void>;
  collections(tenantId: string): Promise<CollectionList>;
  collection(tenantId: string, name: string): Promise<CollectionView>;
  /** Makes a collection without documents, unless it is there. */
  makeCollection(tenantId: string, name: string, quota: TenantQuota): Promise<CollectionView>;
  deleteCollection(tenantId: string, name: string): Promise<CollectionDeleted>;
  documents(tenantId: string, collection: string, page: PageQuery): Promise<DocumentList>;
  document(tenantId: string, place: DocumentPlace): Promise<DocumentView>;
  chunks(tenantId: string, place: DocumentPlace, page: PageQuery): Promise<ChunkList>;
  /** Reads the file and takes what it says, in place of the document with this id. */
  putDocument(
    tenantId: string,
    place: DocumentPlace,
    sent: { file: TenantFile; quota: TenantQuota; owner?: string; signal: AbortSignal },
  ): Promise<DocumentStored>;
  deleteDocument(tenantId: string, place: DocumentPlace): Promise<void>;
  query(
    tenantId: string,
    request: QueryRequest,
    sent: { owner?: string; signal: AbortSignal },
  ): Promise<QueryAnswer>;
}
