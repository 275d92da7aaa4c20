import { and, asc, count, desc, eq, exists, gt, isNotNull, isNull, type SQL, sql, sum } from "drizzle-orm";
import {
  type CollectionQuota,
  collectionLimitReached,
} from "../../../../retrieval/rag/collections/collection-quota.ts";
import type {
  Collection,
  CollectionKeyOf,
  CollectionLook,
  CollectionSize,
  NewCollection,
} from "../../../../retrieval/rag/collections/collection-registry.ts";
import { statement } from "../../../../storage/statement.ts";
import type { Query, ReadQuery, Storage } from "../../../../storage/storage.ts";
import type { RagTables } from "./schema.ts";

type Rag = Storage<RagTables>;

/** Columns of a collection that all queries read. */
export const collectionColumns = ({ ragCollections: table, ragDocuments }: RagTables) => ({
  tenant: table.tenant,
  id: table.id,
  name: table.name,
  vectors: table.vectors,
  backend: table.backend,
  storeId: table.storeId,
  place: table.place,
  // Ids of writes ascend. Uses plain names, because Drizzle omits the table name if a statement has only one table.
  newest: sql<string | null>`(
    select d.write from ${ragDocuments} as d
    where d.tenant = rag_collections.tenant and d.collection = rag_collections.id and d.chunks > 0
    order by d.write desc limit 1)`,
  embedderId: table.embedderId,
  dimension: table.dimension,
  createdAt: table.createdAt,
  isReindexing: sql<boolean>`${isNotNull(table.nextVectors)}`.mapWith(Boolean),
});

const byName = statement((query: ReadQuery, tables: RagTables) =>
  query
    .select(collectionColumns(tables))
    .from(tables.ragCollections)
    .where(isNamed(tables, sql.placeholder("tenant"), sql.placeholder("name")))
    .prepare("rag_collection_by_name"),
);

/** Joins the collection with its writes; returns one row without a write if there are none. */
const lookByName = statement((query: ReadQuery, tables: RagTables) => {
  const { ragCollections, ragWrites } = tables;
  return query
    .select({
      ...collectionColumns(tables),
      write: ragWrites.write,
      documentId: ragWrites.documentId,
      deadChunks: ragWrites.chunks,
    })
    .from(ragCollections)
    .leftJoin(
      ragWrites,
      and(eq(ragWrites.tenant, ragCollections.tenant), eq(ragWrites.collection, ragCollections.id)),
    )
    .where(isNamed(tables, sql.placeholder("tenant"), sql.placeholder("name")))
    .prepare("rag_look");
});

export async function findCollection(
  { read, tables }: Rag,
  tenant: string,
  name: string,
): Promise<Collection | undefined> {
  const [row] = await byName(read, tables).execute({ tenant, name });
  return row;
}

export async function lookAtCollection(
  { read, tables }: Rag,
  tenant: string,
  name: string,
): Promise<CollectionLook | undefined> {
  const rows = await lookByName(read, tables).execute({ tenant, name });
  const [first] = rows;
  if (first === undefined) return undefined;
  const { write: _write, documentId: _documentId, deadChunks: _chunks, ...collection } = first;
  const writes = rows.flatMap(({ write, documentId, deadChunks }) =>
    write === null ? [] : [{ write, documentId: documentId ?? "", chunks: deadChunks ?? 0 }],
  );
  return {
    collection,
    hidden: writes.filter(({ documentId }) => documentId === "").map(({ write }) => write),
    stale: writes.filter(({ documentId }) => documentId !== ""),
  };
}

export async function listCollections(
  { read, tables }: Rag,
  tenant: string,
  name?: string,
): Promise<(Collection & CollectionSize)[]> {
  const { ragCollections, ragDocuments } = tables;
  return read
    .select({
      ...collectionColumns(tables),
      documents: count(ragDocuments.id),
      chunks: chunksIn(tables),
    })
    .from(ragCollections)
    .leftJoin(
      ragDocuments,
      and(eq(ragDocuments.tenant, ragCollections.tenant), eq(ragDocuments.collection, ragCollections.id)),
    )
    .where(
      and(eq(ragCollections.tenant, tenant), name === undefined ? undefined : eq(ragCollections.name, name)),
    )
    .groupBy(ragCollections.tenant, ragCollections.name)
    .orderBy(asc(ragCollections.name));
}

/** Tenants that have collections, by id; those after `after`. */
export async function listTenants(
  { read, tables: { ragCollections: table } }: Rag,
  { after, limit }: { after?: string | undefined; limit: number },
): Promise<string[]> {
  const rows = await read
    .selectDistinct({ tenant: table.tenant })
    .from(table)
    .where(after === undefined ? undefined : gt(table.tenant, after))
    .orderBy(asc(table.tenant))
    .limit(limit);
  return rows.map(({ tenant }) => tenant);
}

/** Collections of all tenants that have documents, the newest first. */
export async function listFilledCollections({ read, tables }: Rag, limit: number): Promise<Collection[]> {
  const { ragCollections, ragDocuments } = tables;
  const ofIt = and(
    eq(ragDocuments.tenant, sql`rag_collections.tenant`),
    eq(ragDocuments.collection, sql`rag_collections.id`),
  );
  return read
    .select(collectionColumns(tables))
    .from(ragCollections)
    .where(exists(read.select({ one: sql`1` }).from(ragDocuments).where(ofIt)))
    .orderBy(desc(ragCollections.createdAt))
    .limit(limit);
}

export async function createCollection(
  storage: Rag,
  collection: NewCollection,
  { createdAt, quota }: { createdAt: Date; quota: CollectionQuota | undefined },
): Promise<Collection> {
  const { ragCollections } = storage.tables;
  return storage.transact(async (tx) => {
    const made = await tx
      .insert(ragCollections)
      .values({ ...collection, createdAt })
      .onConflictDoNothing()
      .returning({ id: ragCollections.id });
    const max = quota?.collectionsMax ?? null;
    if (made.length > 0 && max !== null) {
      const count = await tx.$count(ragCollections, eq(ragCollections.tenant, collection.tenant));
      if (count > max) throw collectionLimitReached(max);
    }
    const [row] = await tx
      .select(collectionColumns(storage.tables))
      .from(ragCollections)
      .where(isNamed(storage.tables, collection.tenant, collection.name));
    if (row === undefined) throw new Error("A collection that was just made is not there.");
    return row;
  });
}

/** Returns true for an existing collection that was not created for a stranger's pipeline. */
export async function isOwnersCollection(
  { read, tables }: Rag,
  tenant: string,
  name: string,
): Promise<boolean> {
  const [row] = await read
    .select({ sender: tables.ragCollections.sender })
    .from(tables.ragCollections)
    .where(isNamed(tables, tenant, name));
  return row?.sender === null;
}

/** Records the place of a collection that has no recorded place. */
export async function adoptPlace(
  { transact, tables: { ragCollections: table } }: Rag,
  { tenant, collection }: CollectionKeyOf,
  place: string,
): Promise<void> {
  await transact((tx) =>
    tx
      .update(table)
      .set({ place })
      .where(and(eq(table.tenant, tenant), eq(table.id, collection), isNull(table.place))),
  );
}

export async function removeCollection(
  storage: Rag,
  tenant: string,
  name: string,
): Promise<(Collection & CollectionSize) | undefined> {
  const { ragCollections, ragDocuments, ragWrites } = storage.tables;
  return storage.transact(async (tx) => {
    const [row] = await tx
      .select({ ...collectionColumns(storage.tables), nextVectors: ragCollections.nextVectors })
      .from(ragCollections)
      .where(isNamed(storage.tables, tenant, name));
    if (row === undefined) return undefined;
    const { nextVectors, ...collection } = row;
    const key = { tenant, collection: collection.id };
    const size = await sizeOf(tx, storage.tables, key);
    await tx.delete(ragCollections).where(isNamed(storage.tables, tenant, name));
    await tx.delete(ragDocuments).where(isIn(ragDocuments, key));
    await tx.delete(ragWrites).where(isIn(ragWrites, key));
    for (const vectors of [collection.vectors, nextVectors]) {
      if (vectors !== null) await leaveToDrop(tx, storage, { ...collection, vectors }, 0);
    }
    return { ...collection, ...size };
  });
}

async function sizeOf(tx: Query, tables: RagTables, key: CollectionKeyOf): Promise<CollectionSize> {
  const [size] = await tx
    .select({ documents: count(), chunks: chunksIn(tables) })
    .from(tables.ragDocuments)
    .where(isIn(tables.ragDocuments, key));
  return size ?? { documents: 0, chunks: 0 };
}

const chunksIn = ({ ragDocuments }: RagTables) =>
  sql<number>`coalesce(${sum(ragDocuments.chunks)}, 0)`.mapWith(Number);

/** Schedules vectors to be dropped, after all searches on them must have ended. */
export async function leaveToDrop(
  tx: Query,
  storage: Rag,
  { tenant, vectors, storeId, place }: Pick<Collection, "tenant" | "vectors" | "storeId" | "place">,
  afterMs: number,
): Promise<void> {
  await tx
    .insert(storage.tables.ragDropped)
    .values({ tenant, vectors, storeId, place, dueAt: storage.instant(afterMs) })
    .onConflictDoNothing();
}

export const isNamed = ({ ragCollections: table }: RagTables, tenant: Given, name: Given) =>
  and(eq(table.tenant, tenant), eq(table.name, name));

type Given = string | SQL | ReturnType<typeof sql.placeholder>;

type OfCollection = RagTables["ragDocuments"] | RagTables["ragWrites"];

/** Condition for the rows of the collection. */
export const isIn = (table: OfCollection, { tenant, collection }: CollectionKeyOf) =>
  and(eq(table.tenant, tenant), eq(table.collection, collection));
