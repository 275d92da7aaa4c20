import type { RecallParts } from "../../src/engine/agents/recall-sources.ts";
import type { Clock } from "../../src/kit/clock.ts";
import { newId } from "../../src/kit/id.ts";
import { silentLogger } from "../../src/kit/log.ts";
import type { Embedder } from "../../src/retrieval/embedding/embedder.ts";
import { createHashThread } from "../../src/retrieval/embedding/local-hash/hash-thread.ts";
import { createLocalHash } from "../../src/retrieval/embedding/local-hash/local-hash.ts";
import { HeldVectors } from "../../src/retrieval/stores/held-vectors.ts";
import { createMemoryStore } from "../../src/retrieval/stores/memory/memory-store.ts";
import type { VectorStore } from "../../src/retrieval/stores/vector-store.ts";
import {
  type StoredEpisodes,
  storedEpisodes,
} from "../../src/services/daemon/memory/episodes/stored-episodes.ts";
import {
  createSemanticMemories,
  type SemanticMemories,
} from "../../src/services/daemon/memory/semantic/semantic-memories.ts";
import { semanticSetup } from "../../src/services/daemon/memory/semantic/semantic-setup.ts";
import type { StoredTexts } from "../../src/services/daemon/memory/semantic/stored-texts.ts";
import { migrations } from "../../src/services/daemon/migrations.gen.ts";
import { type DaemonTables, tables } from "../../src/services/daemon/tables.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import type { Storage } from "../../src/storage/storage.ts";
import { FakeClock } from "./fake-clock.ts";
import { type LoggedEvent, recordingLogger } from "./recording-logger.ts";
import { temporaryFolder } from "./temp-folder.ts";

export interface StagedMemoriesOptions {
  store?: VectorStore;
  /** Stores by their backend, for agents that change it. */
  stores?: Record<string, VectorStore>;
  embedder?: Embedder;
  /** The folder of its SQLite file, which outlives it; by default a temporary one. */
  folder?: string;
  /** A database to use instead of its own SQLite file. */
  storage?: Storage<DaemonTables>;
  mask?: (text: string) => string;
  clock?: Clock;
}

/** Semantic and episodic memories over a real database, with vectors in this process and the built-in embedder. */
export interface StagedMemories extends AsyncDisposable {
  /** The parts for building agents. */
  parts: RecallParts;
  semantic: SemanticMemories;
  /** The memories with which agents were built, newest last. */
  texts: StoredTexts[];
  episodes: StoredEpisodes[];
  storage: Storage<DaemonTables>;
  logged: LoggedEvent[];
  /** Returns how often texts had to keep waiting. */
  failures: () => number;
}

/** The built-in embedder. */
export function localHash(clock: Clock = new FakeClock()): Embedder {
  return createLocalHash(384, createHashThread(clock));
}

export async function stagedMemories(options: StagedMemoriesOptions = {}): Promise<StagedMemories> {
  const { clock = new FakeClock(), mask = (text: string) => text } = options;
  const folder = temporaryFolder();
  const storage = options.storage ?? (await openDaemonStorage(options.folder ?? folder.path, clock));
  const { store = createMemoryStore(), embedder = localHash(clock) } = options;
  const { log, logged } = recordingLogger();
  const storeOf = ({ backend }: { backend?: string | undefined }) => options.stores?.[backend ?? ""] ?? store;
  let failures = 0;
  const texts: StoredTexts[] = [];
  const episodes: StoredEpisodes[] = [];
  const semantic = createSemanticMemories({
    storage,
    held: new HeldVectors(clock),
    newId,
    clock,
    log,
    mask,
    personOf: (tenant) => tenant,
    failed: () => void failures++,
    memoryOf: () => texts.at(-1),
    usualStore: (backend) => storeOf({ backend }),
  });
  return {
    parts: {
      semanticOf(settings) {
        const made = semantic.create(
          semanticSetup(settings, {
            storeOf,
            embedderOf: () => embedder,
            rerankerOf: () => Promise.reject(new Error("nothing is reranked here")) as never,
          }),
        );
        texts.push(made);
        return made;
      },
      episodicOf({ max_results }) {
        const made = storedEpisodes({ open: async () => storage, newId, mask }, max_results);
        episodes.push(made);
        return made;
      },
    },
    semantic,
    texts,
    episodes,
    storage,
    logged,
    failures: () => failures,
    async [Symbol.asyncDispose]() {
      await semantic.writer.close();
      if (options.storage === undefined) await storage.close();
      folder[Symbol.dispose]();
    },
  };
}

function openDaemonStorage(folder: string, clock: Clock): Promise<Storage<DaemonTables>> {
  return openStorage({
    service: "daemon",
    tables,
    migrations,
    folder,
    log: silentLogger,
    clock,
    random: Math.random,
  });
}
