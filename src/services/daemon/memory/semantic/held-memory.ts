import type { MemoryOwner } from "../../../../engine/memory/long-term-memory.ts";
import { AppError } from "../../../../kit/app-error.ts";
import { type MemoryIndex, memoryKey } from "../../../../retrieval/memory/memory-index.ts";
import {
  type HeldCollection,
  type HeldVectors,
  isElsewhere,
  missingRows,
} from "../../../../retrieval/stores/held-vectors.ts";
import type { VectorStore } from "../../../../retrieval/stores/vector-store.ts";
import type { Storage } from "../../../../storage/storage.ts";
import { findCollection, type MadeBy, updateCollection } from "./collection-records.ts";
import type { SemanticTables } from "./schema.ts";

/** Keeps an agent's vectors consistent with the database's record of them. */
export interface HeldMemory {
  /** Throws AppError `vectors_elsewhere` (503) unless the store has all vectors that the database records. */
  requireHere(owner: MemoryOwner, made: MadeBy, isFresh?: boolean): Promise<void>;
  /** Throws AppError `vectors_elsewhere` (503) unless the store has texts from which vectors can be made. */
  requireTexts(owner: MemoryOwner, made: MadeBy): Promise<void>;
  /** Returns the id of the place in use. */
  place(): Promise<string | null>;
  /** The memory's index. Adding through it records the newest text; removing clears that record. */
  index: MemoryIndex;
}

interface HeldPorts {
  storage: Storage<SemanticTables>;
  held: HeldVectors;
}

/** Describes an agent's vectors in `store` for `HeldVectors`. */
export function heldTexts(
  storage: Storage<SemanticTables>,
  store: VectorStore,
  owner: MemoryOwner,
  made: MadeBy,
): HeldCollection {
  return {
    store,
    key: memoryKey(owner),
    dimension: made.dimension,
    known: made,
    async read() {
      const now = await findCollection(storage, owner);
      return now?.store === made.store ? { ...now, rows: 0 } : undefined;
    },
    adopt: (place) => updateCollection(storage, owner, { place }),
    name: `the memory of agent ${owner.agent}`,
    mend: `POST /v1/memory/${owner.agent}/semantic/reindex`,
  };
}

export function heldMemory({ storage, held }: HeldPorts, index: MemoryIndex): HeldMemory {
  const { store } = index;
  const collectionOf = (owner: MemoryOwner, made: MadeBy) => heldTexts(storage, store, owner, made);
  return {
    async requireHere(owner, made, isFresh) {
      await held.open(collectionOf(owner, made), isFresh);
    },
    async requireTexts(owner, made) {
      const fault = await held.open(collectionOf(owner, made), true).then(
        () => undefined,
        (thrown) => thrown,
      );
      if (fault === undefined) return;
      if (!isElsewhere(fault)) throw fault;
      const rows = await store.open(memoryKey(owner), made.dimension);
      const isEmpty = (await rows.count()) === 0;
      const missing = await missingRows(rows, { newest: made.newest, rows: 0 });
      if (!isEmpty && missing === undefined) return;
      // Leaves no data of a memory whose vectors are in another place.
      if (isEmpty) await store.drop(memoryKey(owner));
      throw textsGone(owner);
    },
    place: async () => (await held.placeOf(store))?.id ?? null,
    index: {
      ...index,
      async add(owner, texts, signal) {
        await index.add(owner, texts, signal);
        const newest = texts.findLast(({ text }) => text.trim() !== "")?.origin;
        if (newest === undefined) return;
        await updateCollection(storage, owner, { newest });
        held.wrote(memoryKey(owner), newest);
      },
      async remove(owner, dimension, selection) {
        await updateCollection(storage, owner, { newest: null });
        await index.remove(owner, dimension, selection);
      },
      async drop(owner) {
        await updateCollection(storage, owner, { newest: null });
        await index.drop(owner);
      },
    },
  };
}

function textsGone({ agent }: MemoryOwner): AppError {
  return new AppError(
    "unavailable",
    "vectors_elsewhere",
    `The memory of agent ${agent} can't be rebuilt, because its texts are missing; it is unchanged. Restore the vectors of this database. If they are lost, POST /v1/memory/${agent}/semantic/reindex?forget_lost=true keeps the texts that remain.`,
  );
}
