import { and, eq, getTableColumns, inArray, sql } from "drizzle-orm";
import { AppError } from "../../../../kit/app-error.ts";
import {
  type CollectionQuota,
  documentLimitReached,
} from "../../../../retrieval/rag/collections/collection-quota.ts";
import type {
  CollectionKeyOf,
  CollectionVectors,
  Committed,
  DeadRows,
  NewDocument,
} from "../../../../retrieval/rag/collections/collection-registry.ts";
import type { Query, Storage } from "../../../../storage/storage.ts";
import { isIn, leaveToDrop } from "./collection-store.ts";
import type { RagTables } from "./schema.ts";

type Rag = Storage<RagTables>;

/** Process that owns a write. */
export interface WriteOwner {
  owner: string;
  /** Duration of its lease, in ms. */
  holdMs: number;
}

export async function beginWrite(
  storage: Rag,
  key: CollectionKeyOf,
  write: string,
  { owner, holdMs }: WriteOwner,
): Promise<void> {
  const { ragWrites } = storage.tables;
  await storage.transact(async (tx) => {
    await requireWritable(tx, storage.tables, key);
    await tx.insert(ragWrites).values({
      ...key,
      write,
      documentId: "",
      state: "pending",
      chunks: 0,
      owner,
      heldUntil: storage.instant(holdMs),
    });
  });
}

/** Told of documents that change, in the transaction that changes them. */
export type DocumentsChanged = (
  tx: Query,
  changed: {
    tenant: string;
    collection: string;
    change: "created" | "replaced" | "deleted";
    documents: readonly string[];
    /** Unique to the change. */
    write: string;
  },
) => Promise<void>;

/** Versions that become current. */
interface Commit {
  documents: readonly NewDocument[];
  owner: string;
  now: Date;
  quota: CollectionQuota | undefined;
  changed: DocumentsChanged;
}

export async function commitWrite(
  storage: Rag,
  key: CollectionKeyOf,
  write: string,
  { documents, owner, now, quota, changed }: Commit,
): Promise<Committed> {
  const { ragWrites, ragDocuments } = storage.tables;
  return storage.transact(async (tx) => {
    const pending = await tx
      .delete(ragWrites)
      .where(
        and(isWrite(storage.tables, key, write), eq(ragWrites.state, "pending"), eq(ragWrites.owner, owner)),
      )
      .returning({ write: ragWrites.write });
    if (pending.length === 0) throw await writeLost(tx, storage.tables, key);
    const { name } = await requireWritable(tx, storage.tables, key);
    const ids = documents.map(({ id }) => id);
    const before = await tx
      .select({ id: ragDocuments.id, ...rowsOf(storage.tables) })
      .from(ragDocuments)
      .where(and(isIn(ragDocuments, key), inArray(ragDocuments.id, ids)));
    const sharesWrite = documents.length > 1;
    const at = { createdAt: now, updatedAt: now };
    await tx
      .insert(ragDocuments)
      .values(documents.map((document) => ({ ...key, ...document, write, sharesWrite, ...at })))
      .onConflictDoUpdate({
        target: [ragDocuments.tenant, ragDocuments.collection, ragDocuments.id],
        set: newVersion(storage.tables),
      });
    if (before.length < documents.length) await requireRoom(tx, storage.tables, key.tenant, quota);
    const dead = before.map(deadRowsOf);
    await insertDead(tx, storage.tables, key, dead);
    const replaced = new Set(before.map(({ id }) => id));
    const of = { tenant: key.tenant, collection: name, write };
    await changed(tx, { ...of, change: "created", documents: ids.filter((id) => !replaced.has(id)) });
    await changed(tx, { ...of, change: "replaced", documents: [...replaced] });
    return { outcomes: new Map(ids.map((id) => [id, replaced.has(id) ? "replaced" : "created"])), dead };
  });
}

/** Throws unless the tenant may have as many documents as it has now. */
async function requireRoom(
  tx: Query,
  { ragDocuments }: RagTables,
  tenant: string,
  quota: CollectionQuota | undefined,
): Promise<void> {
  const max = quota?.documentsMax ?? null;
  if (max === null) return;
  if ((await tx.$count(ragDocuments, eq(ragDocuments.tenant, tenant))) > max) throw documentLimitReached(max);
}

/** The columns that another version of a document changes, as the row brings them that could not be inserted. */
function newVersion({ ragDocuments }: RagTables) {
  const { write, sharesWrite, contentHash, chunking, chunks, characters, metadata, losses, updatedAt } =
    getTableColumns(ragDocuments);
  const changed = {
    write,
    sharesWrite,
    contentHash,
    chunking,
    chunks,
    characters,
    metadata,
    losses,
    updatedAt,
  };
  return Object.fromEntries(
    Object.entries(changed).map(([key, column]) => [key, sql`excluded.${sql.identifier(column.name)}`]),
  );
}

/**
 * Marks the write's rows as dead. If the collection was deleted, its vectors are dropped again: the sweep may have dropped them before the
 * write added its last rows.
 */
export async function abandonWrite(
  storage: Rag,
  collection: CollectionVectors,
  write: string,
  documentId: string,
): Promise<"dead" | "current" | "gone"> {
  const { ragDocuments } = storage.tables;
  const key = { tenant: collection.tenant, collection: collection.id };
  return storage.transact(async (tx) => {
    const [current] = await tx
      .select({ id: ragDocuments.id })
      .from(ragDocuments)
      .where(and(isIn(ragDocuments, key), eq(ragDocuments.id, documentId), eq(ragDocuments.write, write)));
    if (current !== undefined) return "current";
    if ((await stateOf(tx, storage.tables, key)) === undefined) {
      await leaveToDrop(tx, storage, collection, 0);
      return "gone";
    }
    await insertDead(tx, storage.tables, key, [{ write, documentId: "", chunks: 0 }]);
    return "dead";
  });
}

export async function removeDocument(
  storage: Rag,
  key: CollectionKeyOf,
  id: string,
  changed: DocumentsChanged,
): Promise<DeadRows | undefined> {
  const { ragDocuments } = storage.tables;
  return storage.transact(async (tx) => {
    const { name } = await requireWritable(tx, storage.tables, key);
    const [removed] = await tx
      .delete(ragDocuments)
      .where(and(isIn(ragDocuments, key), eq(ragDocuments.id, id)))
      .returning({ id: ragDocuments.id, ...rowsOf(storage.tables) });
    if (removed === undefined) return undefined;
    const dead = deadRowsOf(removed);
    await insertDead(tx, storage.tables, key, [dead]);
    // A write has a document once, so its name and the document's are unique together.
    const write = `${removed.write}:${id}`;
    await changed(tx, { tenant: key.tenant, collection: name, change: "deleted", documents: [id], write });
    return dead;
  });
}

export async function reportStray(storage: Rag, key: CollectionKeyOf, rows: DeadRows): Promise<void> {
  const { ragDocuments, ragWrites } = storage.tables;
  await storage.transact(async (tx) => {
    const [current] = await tx
      .select({ id: ragDocuments.id })
      .from(ragDocuments)
      .where(
        and(
          isIn(ragDocuments, key),
          eq(ragDocuments.id, rows.documentId),
          eq(ragDocuments.write, rows.write),
        ),
      );
    const [known] = await tx
      .select({ state: ragWrites.state })
      .from(ragWrites)
      .where(isWrite(storage.tables, key, rows.write));
    if (current === undefined && known === undefined) await insertDead(tx, storage.tables, key, [rows]);
  });
}

export async function forgetDead(
  storage: Rag,
  key: CollectionKeyOf,
  rows: readonly DeadRows[],
): Promise<void> {
  const { ragWrites } = storage.tables;
  const byWrite = Map.groupBy(rows, ({ write }) => write);
  await storage.transact(async (tx) => {
    for (const [write, dead] of byWrite) {
      const ids = dead.map(({ documentId }) => documentId);
      await tx
        .delete(ragWrites)
        .where(
          and(
            isWrite(storage.tables, key, write),
            inArray(ragWrites.documentId, ids),
            eq(ragWrites.state, "dead"),
          ),
        );
    }
  });
}

/** Marks rows as dead, including those of a pending write. */
async function insertDead(
  tx: Query,
  { ragWrites }: RagTables,
  key: CollectionKeyOf,
  dead: readonly DeadRows[],
): Promise<void> {
  if (dead.length === 0) return;
  await tx
    .insert(ragWrites)
    .values(dead.map((rows) => ({ ...key, ...rows, state: "dead" as const })))
    .onConflictDoUpdate({
      target: [ragWrites.tenant, ragWrites.collection, ragWrites.write, ragWrites.documentId],
      set: { state: "dead", owner: null, heldUntil: null },
    });
}

const rowsOf = ({ ragDocuments: { write, sharesWrite, chunks } }: RagTables) => ({
  write,
  sharesWrite,
  chunks,
});

function deadRowsOf(document: { id: string; write: string; sharesWrite: boolean; chunks: number }): DeadRows {
  const { id, write, sharesWrite, chunks } = document;
  return { write, documentId: sharesWrite ? id : "", chunks };
}

/** Returns the collection; throws unless its documents may change now. */
async function requireWritable(
  tx: Query,
  tables: RagTables,
  key: CollectionKeyOf,
): Promise<{ name: string }> {
  const row = await stateOf(tx, tables, key);
  if (row === undefined) throw collectionGone();
  if (row.nextVectors !== null) throw collectionBusy(row.name, "it is being re-indexed");
  return row;
}

/** Returns undefined if the collection was deleted. */
export async function stateOf(tx: Query, { ragCollections: table }: RagTables, key: CollectionKeyOf) {
  const [row] = await tx
    .select({ name: table.name, vectors: table.vectors, nextVectors: table.nextVectors })
    .from(table)
    .where(and(eq(table.tenant, key.tenant), eq(table.id, key.collection)));
  return row;
}

/** Creates the 409 error for a change of a collection that was deleted after the change began. */
function collectionGone(): AppError {
  return new AppError("conflict", "collection_gone", "The collection was deleted in the meantime.", {
    details: { hint: "Ingest its documents again to create it." },
  });
}

/** Creates the 409 error for a change that must wait until other work has ended. */
export function collectionBusy(name: string, reason: string): AppError {
  return new AppError("conflict", "collection_busy", `Collection ${name} can't be changed now: ${reason}.`, {
    details: { hint: "Try again when that has ended; GET /v1/rag/jobs shows the running jobs." },
  });
}

/** Creates the 409 error for a write of a process that was taken for dead, or of a collection that was deleted. */
export async function writeLost(tx: Query, tables: RagTables, key: CollectionKeyOf): Promise<AppError> {
  if ((await stateOf(tx, tables, key)) === undefined) return collectionGone();
  return new AppError(
    "conflict",
    "write_lost",
    "The write took longer than the lease of this process, so nothing was stored.",
    { details: { hint: "Send the same request again." } },
  );
}

const isWrite = ({ ragWrites }: RagTables, key: CollectionKeyOf, write: string) =>
  and(isIn(ragWrites, key), eq(ragWrites.write, write));
