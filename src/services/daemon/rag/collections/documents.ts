import type {
  ChunkList,
  DocumentDeleted,
  DocumentList,
  DocumentView,
} from "../../../../contracts/daemon/rag/rag.ts";
import { AppError } from "../../../../kit/app-error.ts";
import type {
  Collection,
  DocumentRecord,
} from "../../../../retrieval/rag/collections/collection-registry.ts";
import { openHeld, requireStore } from "../../../../retrieval/rag/collections/open-collection.ts";
import {
  collectionNotFound,
  documentNotFound,
  removeDocument,
} from "../../../../retrieval/rag/upkeep/remove-document.ts";
import { isElsewhere } from "../../../../retrieval/stores/held-vectors.ts";
import { readRowId } from "../../../../retrieval/stores/row-id.ts";
import { type DaemonRag, pipelineFor } from "../daemon-rag.ts";

interface Page {
  limit: number;
  cursor?: string | undefined;
}

interface DocumentPlace {
  collection: string;
  id: string;
}

/** A page of a collection's documents, by id. */
export async function listDocuments(
  rag: DaemonRag,
  tenant: string,
  name: string,
  { limit, cursor }: Page,
): Promise<DocumentList> {
  const collection = await obtain(rag, tenant, name);
  const page = { after: cursor && readCursor(cursor), limit: limit + 1 };
  const documentPage = await rag.ports.registry.listDocuments({ tenant, collection: collection.id }, page);
  const documents = documentPage.slice(0, limit);
  const last = documentPage.length > limit ? documents.at(-1) : undefined;
  return {
    documents: documents.map((document) => present(name, document)),
    ...(last && { next: cursorOf(last.id) }),
  };
}

/** Returns a document, or throws `document_not_found`. */
export async function getDocument(
  rag: DaemonRag,
  tenant: string,
  { collection, id }: DocumentPlace,
): Promise<DocumentView> {
  return present(collection, (await find(rag, tenant, { collection, id })).document);
}

/** A page of a document's chunks. */
export async function listChunks(
  rag: DaemonRag,
  tenant: string,
  place: DocumentPlace,
  { limit, cursor }: Page,
): Promise<ChunkList> {
  const { collection, document } = await find(rag, tenant, place);
  const pipeline = pipelineFor(rag, { tenant, collection: collection.name });
  requireStore(collection, pipeline);
  const rows = await openHeld(rag.ports, pipeline, collection);
  const chunkRows = await rows.list(
    { group: document.id, writes: [document.write] },
    { limit: limit + 1, ...(cursor && { after: readCursor(cursor) }) },
  );
  const pageRows = chunkRows.slice(0, limit);
  const last = chunkRows.length > limit ? pageRows.at(-1) : undefined;
  return {
    chunks: pageRows.map(({ id, text }) => {
      const { write, row, ...place } = readRowId(id);
      return { text, ...place };
    }),
    ...(last && { next: cursorOf(last.id) }),
  };
}

/** Deletes a document. After it resolves, no search finds the document. */
export async function deleteDocument(
  rag: DaemonRag,
  tenant: string,
  { collection, id }: DocumentPlace,
): Promise<DocumentDeleted> {
  await removeDocument(rag.ports, pipelineFor(rag, { tenant, collection }), { tenant, collection, id });
  return { status: "deleted", collection, id };
}

/** Returns the collection. Throws if its vectors are in another place, because its documents could not be searched. */
async function obtain({ ports, storeById }: DaemonRag, tenant: string, name: string): Promise<Collection> {
  const collection = await ports.registry.find(tenant, name);
  if (collection === undefined) throw collectionNotFound(name);
  const store = storeById(collection.storeId);
  if (store !== undefined) {
    await openHeld(ports, { store }, collection).catch((thrown) => {
      if (isElsewhere(thrown)) throw thrown;
    });
  }
  return collection;
}

async function find(
  rag: DaemonRag,
  tenant: string,
  { collection: name, id }: DocumentPlace,
): Promise<{ collection: Collection; document: DocumentRecord }> {
  const collection = await obtain(rag, tenant, name);
  const document = await rag.ports.registry.findDocument({ tenant, collection: collection.id }, id);
  if (document === undefined) throw documentNotFound(name, id);
  return { collection, document };
}

function present(collection: string, document: DocumentRecord): DocumentView {
  const { id, chunks, characters, metadata, losses, createdAt, updatedAt } = document;
  return {
    id,
    collection,
    chunks,
    characters,
    metadata,
    ...(losses !== null && { losses: [...losses] }),
    created_at: createdAt.toISOString(),
    updated_at: updatedAt.toISOString(),
  };
}

const cursorOf = (id: string) => Buffer.from(id).toString("base64url");

/** Refuses a cursor that this list did not create, including text that a database would refuse. */
function readCursor(cursor: string): string {
  const id = Buffer.from(cursor, "base64url").toString();
  if (!id.includes("\0") && !id.includes("\u{fffd}") && cursorOf(id) === cursor) return id;
  throw new AppError("invalid", "invalid_request", "The cursor does not belong to this list.");
}
