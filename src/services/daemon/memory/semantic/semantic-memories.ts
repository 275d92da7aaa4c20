import type { MemoryOwner, SemanticMemory } from "../../../../engine/memory/long-term-memory.ts";
import { AppError, toAppError } from "../../../../kit/app-error.ts";
import type { Worker } from "../../../../kit/worker.ts";
import { memoryKey } from "../../../../retrieval/memory/memory-index.ts";
import { isElsewhere } from "../../../../retrieval/stores/held-vectors.ts";
import type { VectorStore } from "../../../../retrieval/stores/vector-store.ts";
import { aloneWorker } from "../../../../storage/alone.ts";
import { sweepCounted } from "../../../../storage/counted-work.ts";
import { isStorageAway } from "../../../../storage/until-stored.ts";
import {
  allCollections,
  findCollection,
  findFormer,
  forgetLeft,
  forgetOwner,
  listCollections,
  listLeft,
  type MadeBy,
} from "./collection-records.ts";
import { heldTexts } from "./held-memory.ts";
import { MemoryWriter, type WriterPorts } from "./memory-writer.ts";
import { forgetWrites } from "./store.ts";
import { type StoredTexts, storedTexts, type TextsPorts, type TextsSetup } from "./stored-texts.ts";

export interface MemoriesPorts
  extends Omit<TextsPorts, "writer">,
    Pick<WriterPorts, "clock" | "failed" | "log" | "personOf" | "storage"> {
  /** Returns the semantic memory of a loaded agent; undefined if the agent is not loaded or has none. */
  memoryOf: (owner: MemoryOwner) => SemanticMemory | undefined;
  /** Returns the store of a backend at its default address. */
  usualStore: (backend: string) => VectorStore;
}

/** Semantic memories of all agents, and their writer. */
export interface SemanticMemories {
  readonly writer: MemoryWriter;
  /** Creates a memory with this setup. */
  create(setup: TextsSetup): StoredTexts;
  /** Returns the API's operations on a memory; undefined for a memory that was not created here. */
  textsOf(memory: SemanticMemory): StoredTexts | undefined;
  /**
   * Deletes all data of an agent in every store that it has used. A former store that can't be reached doesn't prevent that: its texts are
   * deleted later, and before an agent of the same name uses it.
   */
  forgetAgent(owner: MemoryOwner): Promise<void>;
  /** Deletes the texts of one session. Throws `memory_unavailable` if there are texts of an agent that isn't loaded. */
  forgetSession(owner: MemoryOwner, sessionId: string): Promise<void>;
  /** Deletes the texts of deleted agents that could not be deleted before. */
  catchUp(signal?: AbortSignal): Promise<void>;
  /** Calls `catchUp` every minute, in one of the processes that share the database. */
  forgetter(): Worker;
  /** Returns a message for each agent whose vectors are not in the place that this process uses. */
  elsewhere(): Promise<string[]>;
}

/** Maximum number of agents checked, because opening a memory may need a call to a server. */
const agentsMax = 200;
const catchUpEveryMs = 60_000;

export function createSemanticMemories({ memoryOf, usualStore, ...ports }: MemoriesPorts): SemanticMemories {
  const { storage, clock, log, failed } = ports;
  const made = new WeakMap<SemanticMemory, StoredTexts>();
  const textsOfAgent = (owner: MemoryOwner) => {
    const memory = memoryOf(owner);
    return memory && made.get(memory);
  };
  const storeOf = (owner: MemoryOwner, { store }: MadeBy) => {
    const setup = textsOfAgent(owner)?.setup;
    return setup?.storeName === store ? setup.index.store : storeAt(store, usualStore);
  };
  /** Drops an agent's texts in a store; false if the address of the store isn't known any more. */
  const dropTexts = async (owner: MemoryOwner, made: MadeBy): Promise<boolean> => {
    const store = storeOf(owner, made);
    if (store === undefined) return false;
    // Otherwise the texts would stay on a disk that is no longer in use.
    await ports.held.requirePlace(heldTexts(storage, store, owner, made));
    await store.drop(memoryKey(owner));
    return true;
  };
  const process = ports.newId();
  const writer = new MemoryWriter({
    storage,
    process,
    clock,
    log,
    failed,
    wayOf(owner) {
      const setup = textsOfAgent(owner)?.setup;
      return setup === undefined ? "" : `${setup.storeName} ${setup.index.embedder.id}`;
    },
    personOf: ports.personOf,
    indexOf: async (owner, signal) => textsOfAgent(owner)?.ready(owner, signal),
  });
  const memories: SemanticMemories = {
    writer,
    create(setup) {
      const texts = storedTexts({ ...ports, writer }, setup);
      made.set(texts, texts);
      return texts;
    },
    textsOf: (memory) => made.get(memory),
    async forgetSession(owner, sessionId) {
      const texts = textsOfAgent(owner);
      if (texts !== undefined) await texts.forget(owner, { session: sessionId });
      else if ((await findCollection(storage, owner)) !== undefined)
        throw new AppError("unavailable", "memory_unavailable", `The agent ${owner.agent} isn't loaded.`);
      else await forgetWrites(storage, owner, { sessionId });
    },
    forgetAgent: (owner) =>
      writer.alone(owner, async () => {
        const current = await findCollection(storage, owner);
        const left: MadeBy[] = [];
        for (const made of await allCollections(storage, owner)) {
          try {
            if (await dropTexts(owner, made)) continue;
            log.warn("memory.left_behind", { ...owner, store: made.store });
          } catch (thrown) {
            if (made.store === current?.store || toAppError(thrown).kind !== "unavailable") throw thrown;
            log.warn("memory.forgotten_later", { ...owner, store: made.store, err: thrown });
          }
          left.push(made);
        }
        await forgetOwner(storage, owner, left);
        writer.forgotten(owner);
      }),
    async catchUp(signal) {
      await sweepCounted(storage, await listLeft(storage, agentsMax), {
        kind: "memory_cleanup",
        owner: process,
        log,
        signal,
        keyOf: ({ tenant, agent, store }) => `${tenant}/${agent}/${store}`,
        work: ({ tenant, agent, ...made }) => {
          const owner = { tenant, agent };
          return writer.alone(owner, async () => {
            try {
              // A later agent may have used the store meanwhile, which deleted them.
              const now = await findFormer(storage, owner, made.store);
              if (now?.embedder === "" && (await dropTexts(owner, made)))
                await forgetLeft(storage, { ...owner, store: made.store });
            } catch (thrown) {
              if (isStorageAway(thrown)) throw thrown;
              log.debug("memory.forgotten_later", { ...owner, store: made.store, err: thrown });
            }
          });
        },
      });
    },
    forgetter: () =>
      aloneWorker("memory-forgetter", catchUpEveryMs, { storage, clock, owner: process }, memories.catchUp),
    async elsewhere() {
      const lines: string[] = [];
      for (const { tenant, agent, ...made } of await listCollections(storage, agentsMax)) {
        const owner = { tenant, agent };
        const store = storeOf(owner, made);
        if (store === undefined) continue;
        try {
          await ports.held.open(heldTexts(storage, store, owner, made), true);
        } catch (thrown) {
          // A store that doesn't answer is reported by its own check.
          if (isElsewhere(thrown)) lines.push(toAppError(thrown).message);
        }
      }
      return lines;
    },
  };
  return memories;
}

/** Name under which the database records a store. A custom address is stored as a digest, because it may contain a password. */
export function storeName(backend: string, url: string | undefined): string {
  if (url === undefined) return backend;
  return `${backend}:${new Bun.CryptoHasher("sha256").update(url).digest("hex").slice(0, 16)}`;
}

function storeAt(name: string, usualStore: MemoriesPorts["usualStore"]): VectorStore | undefined {
  return name.includes(":") ? undefined : usualStore(name);
}
