import { and, eq, inArray } from "drizzle-orm";
import { batches } from "../../../../kit/batches.ts";
import type {
  Collection,
  CollectionKeyOf,
  CollectionVectors,
  Reindexed,
} from "../../../../retrieval/rag/collections/collection-registry.ts";
import { collectionNotFound } from "../../../../retrieval/rag/upkeep/remove-document.ts";
import type { Storage } from "../../../../storage/storage.ts";
import { collectionColumns, isIn, isNamed, leaveToDrop } from "./collection-store.ts";
import type { RagTables } from "./schema.ts";
import { collectionBusy, stateOf, type WriteOwner, writeLost } from "./write-store.ts";

type Rag = Storage<RagTables>;

/** Time after which searches that began before the vectors were replaced have ended. */
const searchMsMax = 60_000;
/** Documents per statement. */
const idsTogether = 500;

export async function beginReindex(
  storage: Rag,
  { tenant, name, vectors }: { tenant: string; name: string; vectors: string },
  { owner, holdMs }: WriteOwner,
): Promise<Collection> {
  const { ragCollections, ragWrites } = storage.tables;
  return storage.transact(async (tx) => {
    const [collection] = await tx
      .select(collectionColumns(storage.tables))
      .from(ragCollections)
      .where(isNamed(storage.tables, tenant, name));
    if (collection === undefined) throw collectionNotFound(name);
    if (collection.isReindexing) throw collectionBusy(name, "it is already being re-indexed");
    const key = { tenant, collection: collection.id };
    const [pending] = await tx
      .select({ write: ragWrites.write })
      .from(ragWrites)
      .where(and(isIn(ragWrites, key), eq(ragWrites.state, "pending")))
      .limit(1);
    if (pending !== undefined) throw collectionBusy(name, "documents are being ingested");
    await tx
      .update(ragCollections)
      .set({ nextVectors: vectors, owner, heldUntil: storage.instant(holdMs) })
      .where(isNamed(storage.tables, tenant, name));
    return { ...collection, isReindexing: true };
  });
}

export async function finishReindex(
  storage: Rag,
  { tenant, collection }: CollectionKeyOf,
  { owner, lost, ...made }: Reindexed & { owner: string },
): Promise<void> {
  const { ragCollections: table, ragDocuments } = storage.tables;
  await storage.transact(async (tx) => {
    const isOurs = and(
      eq(table.tenant, tenant),
      eq(table.id, collection),
      eq(table.nextVectors, made.vectors),
      eq(table.owner, owner),
    );
    const [before] = await tx.select(collectionColumns(storage.tables)).from(table).where(isOurs);
    if (before === undefined) throw await writeLost(tx, storage.tables, { tenant, collection });
    await tx
      .update(table)
      .set({ ...made, nextVectors: null, owner: null, heldUntil: null })
      .where(isOurs);
    for (const ids of batches(lost, idsTogether)) {
      await tx
        .delete(ragDocuments)
        .where(and(isIn(ragDocuments, { tenant, collection }), inArray(ragDocuments.id, ids)));
    }
    await leaveToDrop(tx, storage, { ...before, place: before.place ?? made.place }, searchMsMax);
  });
}

/**
 * Leaves the new vectors to be dropped, also if the collection was deleted or another process took the re-index for dead: the sweep may have
 * dropped them before the last rows were added.
 */
export async function abandonReindex(
  storage: Rag,
  next: CollectionVectors,
): Promise<"dead" | "current" | "gone"> {
  const { ragCollections: table } = storage.tables;
  const { tenant, id: collection, vectors } = next;
  return storage.transact(async (tx) => {
    const state = await stateOf(tx, storage.tables, { tenant, collection });
    if (state?.vectors === vectors) return "current";
    await tx
      .update(table)
      .set({ nextVectors: null, owner: null, heldUntil: null })
      .where(and(eq(table.tenant, tenant), eq(table.id, collection), eq(table.nextVectors, vectors)));
    await leaveToDrop(tx, storage, next, 0);
    return state === undefined ? "gone" : "dead";
  });
}
