import type {
  MemoryOwner,
  MemoryScope,
  SemanticMemory,
  SemanticRecord,
} from "../../../../engine/memory/long-term-memory.ts";
import { AppError } from "../../../../kit/app-error.ts";
import { maskValues } from "../../../../kit/secrets/mask-values.ts";
import {
  everyRow,
  type FoundText,
  type KeptText,
  type MemoryIndex,
  type TextSelection,
} from "../../../../retrieval/memory/memory-index.ts";
import type { HeldVectors } from "../../../../retrieval/stores/held-vectors.ts";
import {
  countRemoved,
  findCollection,
  findFormer,
  type MadeBy,
  setCollection,
} from "./collection-records.ts";
import { foundMemories } from "./found-memories.ts";
import { heldMemory } from "./held-memory.ts";
import { type ReindexPorts, reindexTexts } from "./reindex-texts.ts";
import { bytesOfText, forgetWrites } from "./store.ts";

export interface TextsPorts extends ReindexPorts {
  /** Detects memories whose vectors are not in the place that the database records. */
  held: HeldVectors;
  /** Masks secrets before storing. */
  mask: (text: string) => string;
}

/** Settings of an agent's memory. */
export interface TextsSetup {
  index: MemoryIndex;
  /** Name under which the database records the store, without secrets of its address. */
  storeName: string;
  /** Limits for prompts: number of results and minimum similarity. */
  resultsMax: number;
  scoreMin: number;
}

/** A text added by a caller. */
export interface AddedText {
  text: string;
  metadata: Record<string, unknown>;
  session: string;
  user: string;
}

/** An agent's semantic memory, with the operations that the API offers. */
export interface StoredTexts extends SemanticMemory {
  /** Stores a text from a caller and returns its id. */
  add(owner: MemoryOwner, added: AddedText): Promise<string>;
  search(
    owner: MemoryOwner,
    query: { query: string; limit: number; scoreMin: number; selection: TextSelection; signal: AbortSignal },
  ): Promise<FoundText[]>;
  list(
    owner: MemoryOwner,
    selection: TextSelection,
    page: { after?: string; limit: number; signal: AbortSignal },
  ): Promise<KeptText[]>;
  /** Deletes the selected texts, or all of them without a selection, from the store and from the queue. Returns their number. */
  forget(owner: MemoryOwner, selection: TextSelection): Promise<number>;
  /**
   * Rebuilds all vectors with the current embedder and returns the number of texts, which become searchable again one by one. Throws
   * AppError `vectors_elsewhere` (503) if the texts are gone, unless `forgetLost`.
   */
  reindex(owner: MemoryOwner, forgetLost?: boolean): Promise<number>;
  /** Returns the memory's index, ready for writing. Throws AppError `embedder_changed` (409) if its vectors come from another embedder. */
  ready(owner: MemoryOwner, signal: AbortSignal): Promise<MemoryIndex>;
  readonly setup: TextsSetup;
}

/** Texts in a vector store. New texts wait in the database until they are added. */
export function storedTexts(ports: TextsPorts, setup: TextsSetup): StoredTexts {
  const { storage, writer, newId, log, mask } = ports;
  const { storeName, resultsMax, scoreMin } = setup;
  const memory = heldMemory(ports, setup.index);
  const { index } = memory;

  /** Returns the record of the agent's vectors in this store; undefined if it has none there. Throws `vectors_elsewhere`. */
  const present = async (owner: MemoryOwner): Promise<MadeBy | undefined> => {
    const made = await findCollection(storage, owner);
    if (made?.store !== storeName) return undefined;
    await memory.requireHere(owner, made);
    return made;
  };
  /** Checks the place again, because an empty result may come from a place that was emptied a moment ago. */
  const requireFresh = async (owner: MemoryOwner): Promise<void> => {
    const made = await findCollection(storage, owner);
    if (made?.store === storeName && made.newest !== null) await memory.requireHere(owner, made, true);
  };
  const searchable = async (owner: MemoryOwner, signal: AbortSignal): Promise<boolean> => {
    await writer.settled(owner, signal);
    const made = await present(owner);
    // Texts may wait for a store that can't be reached. An empty result would be wrong then.
    if (made === undefined) await memory.place();
    if (made !== undefined && made.embedder !== index.embedder.id) throw embedderChanged(owner, made, index);
    return made !== undefined;
  };

  const usable = async (owner: MemoryOwner, made: MadeBy): Promise<MemoryIndex> => {
    await memory.requireHere(owner, made);
    if (made.embedder === index.embedder.id) return index;
    throw embedderChanged(owner, made, index);
  };

  const texts: StoredTexts = {
    setup,
    forgetSession: async ({ sessionId, ...owner }) => {
      await texts.forget(owner, { session: sessionId });
    },
    async ready(owner, signal) {
      const before = await findCollection(storage, owner);
      if (before?.store === storeName) return usable(owner, before);
      if (before !== undefined) log.warn("memory.store_changed", { ...owner, store: before.store });
      const former = await findFormer(storage, owner, storeName);
      if (former !== undefined && former.embedder !== "") {
        await setCollection(storage, owner, former);
        return usable(owner, former);
      }
      // A deleted agent of this name left texts here that could not be deleted then.
      if (former !== undefined) await setup.index.drop(owner);
      const dimension = await index.embedder.dimension(signal);
      const made = { store: storeName, embedder: index.embedder.id, dimension, bytes: 0 };
      await setCollection(storage, owner, { ...made, place: await memory.place(), newest: null });
      return index;
    },
    async recall({ user, sessionId: _, ...owner }, { query, shown, signal }): Promise<SemanticRecord[]> {
      if (!(await searchable(owner, signal))) return [];
      const memories = await foundMemories(index, owner, {
        query,
        shown,
        user,
        resultsMax,
        scoreMin,
        signal,
      });
      if (memories.length === 0) await requireFresh(owner);
      return memories;
    },
    async keep({ user = "", sessionId, ...owner }: MemoryScope, { query, response, traceId, at }) {
      const id = newId();
      const metadata = { timestamp: at.toISOString(), trace_id: traceId };
      const turns = [
        { id: `${id}-1`, text: mask(query), metadata: { role: "user", ...metadata } },
        { id: `${id}-2`, text: mask(response), metadata: { role: "assistant", ...metadata } },
      ];
      const kept = turns.filter(({ text }) => text.trim() !== "");
      await writer.put(owner, [{ ...owner, id, sessionId, user, origin: traceId, texts: kept }]);
    },
    async add(owner, { text, metadata, session, user }) {
      const id = newId();
      const added = [
        { id, text: mask(text), metadata: maskValues(metadata, mask) as Record<string, unknown> },
      ];
      await writer.put(owner, [{ ...owner, id, sessionId: session, user, origin: id, texts: added }]);
      return id;
    },
    async search(owner, query) {
      if (!(await searchable(owner, query.signal))) return [];
      const hits = await index.search(owner, query);
      if (hits.length === 0) await requireFresh(owner);
      return hits;
    },
    async list(owner, selection, { signal, ...page }) {
      await writer.settled(owner, signal);
      const made = await present(owner);
      return made === undefined ? [] : index.list(owner, made.dimension, selection, page);
    },
    forget: (owner, selection) =>
      writer.alone(owner, async () => {
        const ids = new Set<string>();
        const made = await present(owner);
        const { id, session, users: [user] = [] } = selection;
        const waiting = await forgetWrites(storage, owner, {
          ...(id !== undefined && { id }),
          ...(session !== undefined && { sessionId: session }),
          ...(user !== undefined && { user }),
        });
        if (made === undefined) return waiting;
        let bytes = 0;
        for await (const row of everyRow(index, owner, made.dimension, selection)) {
          ids.add(row.id);
          bytes += bytesOfText(row, made.dimension);
        }
        const isAll = Object.keys(selection).length === 0;
        if (isAll) await index.drop(owner);
        else await index.remove(owner, made.dimension, selection);
        await countRemoved(storage, owner, isAll ? "all" : bytes);
        return waiting + ids.size;
      }),
    reindex: (owner, forgetLost = false) => reindexTexts(ports, { storeName, memory }, { owner, forgetLost }),
  };
  return texts;
}

function embedderChanged({ agent }: MemoryOwner, made: MadeBy, { embedder }: MemoryIndex): AppError {
  return new AppError(
    "conflict",
    "embedder_changed",
    `The memory of agent ${agent} has vectors of the embedder ${made.embedder}, but the agent now uses ${embedder.id}.`,
    {
      details: {
        hint: `POST /v1/memory/${agent}/semantic/reindex rebuilds it; or restore spec.memory.semantic.embedder.`,
      },
    },
  );
}
