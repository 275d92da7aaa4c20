import { and, asc, eq, isNotNull, isNull, like, lt, lte, ne, notInArray, or, type SQL } from "drizzle-orm";
import type {
  Collection,
  DeadRows,
  LeftoverPlace,
} from "../../../../retrieval/rag/collections/collection-registry.ts";
import type { Storage } from "../../../../storage/storage.ts";
import { collectionColumns, leaveToDrop, removeCollection } from "./collection-store.ts";
import type { RagTables } from "./schema.ts";
import type { WriteOwner } from "./write-store.ts";

type Rag = Storage<RagTables>;

/** Writes and re-indexings in progress in a process. All others with its id are abandoned. */
export interface InHand {
  owner: string;
  writes: readonly string[];
  reindexes: readonly string[];
}

/** Marks the writes of dead processes as dead and resets the collections that they were re-indexing. */
export async function settleAbandoned(storage: Rag, { owner, writes, reindexes }: InHand): Promise<void> {
  const { ragWrites, ragCollections } = storage.tables;
  const isPending = eq(ragWrites.state, "pending");
  const isUnfinished = isNotNull(ragCollections.nextVectors);
  // Usually there are none, and a read needs no disk write.
  const [write] = await storage.read
    .select({ write: ragWrites.write })
    .from(ragWrites)
    .where(isPending)
    .limit(1);
  const [next] = await storage.read
    .select({ id: ragCollections.id })
    .from(ragCollections)
    .where(isUnfinished)
    .limit(1);
  if (write === undefined && next === undefined) return;
  await storage.transact(async (tx) => {
    await tx
      .update(ragWrites)
      .set({ state: "dead", owner: null, heldUntil: null })
      .where(and(isPending, isGivenUp(storage, ragWrites, { owner, own: notIn(ragWrites.write, writes) })));
    const abandoned = await tx
      .select({ ...collectionColumns(storage.tables), nextVectors: ragCollections.nextVectors })
      .from(ragCollections)
      .where(
        and(
          isUnfinished,
          isGivenUp(storage, ragCollections, { owner, own: notIn(ragCollections.nextVectors, reindexes) }),
        ),
      );
    for (const { nextVectors, ...collection } of abandoned) {
      await tx
        .update(ragCollections)
        .set({ nextVectors: null, owner: null, heldUntil: null })
        .where(and(eq(ragCollections.tenant, collection.tenant), eq(ragCollections.id, collection.id)));
      await leaveToDrop(tx, storage, { ...collection, vectors: nextVectors ?? "" }, 0);
    }
  });
}

/**
 * Condition for rows of abandoned work. Only this process uses a SQLite file; on a shared database, a process whose lease has ended is
 * dead.
 */
function isGivenUp(
  storage: Rag,
  table: RagTables["ragWrites"] | RagTables["ragCollections"],
  { owner, own }: { owner: string; own: SQL | undefined },
): SQL | undefined {
  const isOthers = ne(table.owner, owner);
  const isSilent =
    storage.dialect === "sqlite" ? isOthers : and(isOthers, lt(table.heldUntil, storage.instant()));
  return or(isSilent, and(eq(table.owner, owner), own));
}

function notIn(column: Parameters<typeof notInArray>[0], values: readonly string[]): SQL | undefined {
  return values.length === 0 ? undefined : notInArray(column, [...values]);
}

/** Deletes collections that were in the memory of an ended process. Only on SQLite, where no other process can be alive. */
export async function forgetVolatile(storage: Rag, storeId: string): Promise<void> {
  if (storage.dialect !== "sqlite") return;
  const { ragCollections } = storage.tables;
  const lost = await storage.read
    .select({ tenant: ragCollections.tenant, name: ragCollections.name })
    .from(ragCollections)
    .where(and(like(ragCollections.storeId, "memory@%"), ne(ragCollections.storeId, storeId)));
  for (const { tenant, name } of lost) await removeCollection(storage, tenant, name);
  const { ragDropped } = storage.tables;
  await storage.transact((tx) =>
    tx.delete(ragDropped).where(and(like(ragDropped.storeId, "memory@%"), ne(ragDropped.storeId, storeId))),
  );
}

/** Renews the lease of a process on its work. */
export async function keepAlive(storage: Rag, { owner, holdMs }: WriteOwner): Promise<void> {
  const { ragWrites, ragCollections } = storage.tables;
  const heldUntil = storage.instant(holdMs);
  await storage.transact(async (tx) => {
    await tx
      .update(ragWrites)
      .set({ heldUntil })
      .where(and(eq(ragWrites.state, "pending"), eq(ragWrites.owner, owner)));
    await tx.update(ragCollections).set({ heldUntil }).where(eq(ragCollections.owner, owner));
  });
}

/** Places with rows or vectors to be removed. */
export async function leftoverPlaces(storage: Rag): Promise<LeftoverPlace[]> {
  const { ragWrites, ragCollections, ragDropped } = storage.tables;
  const dead = await storage.read
    .selectDistinct({ storeId: ragCollections.storeId, place: ragCollections.place })
    .from(ragWrites)
    .innerJoin(ragCollections, isOfCollection(storage.tables))
    .where(eq(ragWrites.state, "dead"));
  const dropped = await storage.read
    .selectDistinct({ storeId: ragDropped.storeId, place: ragDropped.place })
    .from(ragDropped)
    .where(lte(ragDropped.dueAt, storage.instant()));
  const places = [...dead, ...dropped].map((at) => [JSON.stringify([at.storeId, at.place]), at] as const);
  return [...new Map(places).values()];
}

/** Dead rows of all tenants in a place, by collection. */
export async function deadRows(
  { read, tables }: Rag,
  at: LeftoverPlace,
  limit: number,
): Promise<{ collection: Collection; rows: DeadRows[] }[]> {
  const { ragWrites, ragCollections } = tables;
  const leftovers = await read
    .select({
      collection: collectionColumns(tables),
      write: ragWrites.write,
      documentId: ragWrites.documentId,
      chunks: ragWrites.chunks,
    })
    .from(ragWrites)
    .innerJoin(ragCollections, isOfCollection(tables))
    .where(and(eq(ragWrites.state, "dead"), isAt(ragCollections, at)))
    .orderBy(asc(ragWrites.write))
    .limit(limit);
  const groups = Map.groupBy(leftovers, ({ collection }) => `${collection.tenant} ${collection.id}`);
  return [...groups.values()].flatMap((rows) => {
    const [first] = rows;
    if (first === undefined) return [];
    const dead = rows.map(({ write, documentId, chunks }) => ({ write, documentId, chunks }));
    return [{ collection: first.collection, rows: dead }];
  });
}

/** Vectors in a place that no search can still be reading. */
export function droppable(
  storage: Rag,
  at: LeftoverPlace,
  limit: number,
): Promise<{ tenant: string; vectors: string }[]> {
  const { ragDropped } = storage.tables;
  return storage.read
    .select({ tenant: ragDropped.tenant, vectors: ragDropped.vectors })
    .from(ragDropped)
    .where(and(lte(ragDropped.dueAt, storage.instant()), isAt(ragDropped, at)))
    .orderBy(asc(ragDropped.dueAt))
    .limit(limit);
}

const isOfCollection = ({ ragWrites, ragCollections }: RagTables) =>
  and(eq(ragCollections.tenant, ragWrites.tenant), eq(ragCollections.id, ragWrites.collection));

const isAt = (
  table: RagTables["ragCollections"] | RagTables["ragDropped"],
  { storeId, place }: LeftoverPlace,
) => and(eq(table.storeId, storeId), place === null ? isNull(table.place) : eq(table.place, place));

export async function forgetDropped({ transact, tables }: Rag, vectors: string): Promise<void> {
  await transact((tx) => tx.delete(tables.ragDropped).where(eq(tables.ragDropped.vectors, vectors)));
}
