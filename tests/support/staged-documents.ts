import type { CollectionView, DocumentView } from "../../src/contracts/daemon/rag/rag.ts";
import type { RuntimeDocuments } from "../../src/contracts/runtime/documents.ts";
import { AppError } from "../../src/kit/app-error.ts";
import { documentLimitReached } from "../../src/retrieval/rag/collections/collection-quota.ts";
import { collectionNotFound, documentNotFound } from "../../src/retrieval/rag/upkeep/remove-document.ts";

/** Documents in memory that are found by the words they have, and what the runtime was told. */
export interface StagedDocuments extends RuntimeDocuments {
  /** By tenant, collection and id. */
  kept: Map<string, Map<string, Map<string, string>>>;
  /** Tenants whose documents were forgotten, in order. */
  forgotten: string[];
  /** Done before each call: throws or waits where a test wants that. */
  before: () => Promise<void> | void;
}

const at = "2026-03-10T12:00:00.000Z";

export function stagedDocuments(): StagedDocuments {
  const kept: StagedDocuments["kept"] = new Map();
  const of = (tenant: string) => kept.get(tenant) ?? new Map<string, Map<string, string>>();
  const collectionOf = (tenant: string, name: string) => {
    const found = of(tenant).get(name);
    if (found === undefined) throw collectionNotFound(name);
    return found;
  };
  const documentOf = (tenant: string, collection: string, id: string) => {
    const found = collectionOf(tenant, collection).get(id);
    if (found === undefined) throw documentNotFound(collection, id);
    return found;
  };
  const made = (tenant: string, name: string) => {
    const collections = of(tenant);
    kept.set(tenant, collections);
    const found = collections.get(name) ?? new Map<string, string>();
    collections.set(name, found);
    return found;
  };
  const view = (name: string, documents: Map<string, string>): CollectionView => ({
    name,
    backend: "lancedb",
    embedder: "local_hash/1",
    dimension: 512,
    documents: documents.size,
    chunks: documents.size,
    pipelines: [],
    status: "ready",
    created_at: at,
  });
  const shown = (collection: string, id: string, text: string): DocumentView => ({
    id,
    collection,
    chunks: 1,
    characters: text.length,
    metadata: {},
    created_at: at,
    updated_at: at,
  });
  const staged: StagedDocuments = {
    kept,
    forgotten: [],
    before: () => {},
    async tenants() {
      await staged.before();
      return { tenants: [...kept.keys()].sort() };
    },
    async forget(tenant) {
      await staged.before();
      staged.forgotten.push(tenant);
      kept.delete(tenant);
    },
    async collections(tenant) {
      await staged.before();
      return { collections: [...of(tenant)].map(([name, documents]) => view(name, documents)) };
    },
    async collection(tenant, name) {
      await staged.before();
      return view(name, collectionOf(tenant, name));
    },
    async makeCollection(tenant, name) {
      await staged.before();
      return view(name, made(tenant, name));
    },
    async deleteCollection(tenant, name) {
      await staged.before();
      const { size } = collectionOf(tenant, name);
      of(tenant).delete(name);
      return { status: "deleted", collection: name, documents: size };
    },
    async documents(tenant, collection) {
      await staged.before();
      const found = [...collectionOf(tenant, collection)];
      return { documents: found.map(([id, text]) => shown(collection, id, text)) };
    },
    async document(tenant, { collection, id }) {
      await staged.before();
      return shown(collection, id, documentOf(tenant, collection, id));
    },
    async chunks(tenant, { collection, id }) {
      await staged.before();
      const text = documentOf(tenant, collection, id);
      return { chunks: [{ chunk: 0, text, start: 0, end: text.length }] };
    },
    async putDocument(tenant, { collection, id }, { file, quota }) {
      await staged.before();
      const { size } = of(tenant).get(collection) ?? { size: 0 };
      if (quota.documents_max !== null && size >= quota.documents_max) {
        throw documentLimitReached(quota.documents_max);
      }
      const text = new TextDecoder().decode(file.bytes);
      const documents = made(tenant, collection);
      const status = documents.has(id) ? "replaced" : "created";
      documents.set(id, text);
      return { collection, id, status, chunks: 1, characters: text.length };
    },
    async deleteDocument(tenant, { collection, id }) {
      await staged.before();
      documentOf(tenant, collection, id);
      collectionOf(tenant, collection).delete(id);
    },
    async query(tenant, { collection, query }) {
      await staged.before();
      if (collection === undefined) throw new AppError("invalid", "invalid_request", "No collection.");
      const results = [...collectionOf(tenant, collection)].filter(([, text]) => text.includes(query));
      return {
        results: results.map(([document_id, text]) => ({
          text,
          score: 1,
          rank_score: 1,
          metadata: {},
          citation: { document_id, chunk: 0, start: 0, end: text.length },
        })),
      };
    },
  };
  return staged;
}
