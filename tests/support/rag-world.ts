import { newId } from "../../src/kit/id.ts";
import { silentLogger } from "../../src/kit/log.ts";
import { createChunker } from "../../src/retrieval/chunking/create-chunker.ts";
import type { Embedder } from "../../src/retrieval/embedding/embedder.ts";
import type { CollectionRegistry } from "../../src/retrieval/rag/collections/collection-registry.ts";
import { openRows } from "../../src/retrieval/rag/collections/open-collection.ts";
import { checkDocuments, type GivenDocument } from "../../src/retrieval/rag/ingest/document-content.ts";
import { ingestDocuments } from "../../src/retrieval/rag/ingest/ingest-documents.ts";
import type { Ingest, IngestedDocument } from "../../src/retrieval/rag/ingest/write-documents.ts";
import { defaultPipeline, type RagPipeline } from "../../src/retrieval/rag/rag-pipeline.ts";
import type { RagPorts } from "../../src/retrieval/rag/rag-ports.ts";
import {
  type FoundPassage,
  findPassages,
  type PassageQuery,
} from "../../src/retrieval/rag/search/find-passages.ts";
import { HeldVectors } from "../../src/retrieval/stores/held-vectors.ts";
import { createMemoryStore } from "../../src/retrieval/stores/memory/memory-store.ts";
import type { VectorCollection, VectorStore } from "../../src/retrieval/stores/vector-store.ts";
import { ragTables } from "../../src/services/daemon/rag/registry/schema.ts";
import { sqlCollectionRegistry } from "../../src/services/daemon/rag/registry/sql-collection-registry.ts";
import type { Storage } from "../../src/storage/storage.ts";
import { FakeClock } from "./fake-clock.ts";

/** Hooks for the operations on a collection's rows; each may throw or wait. */
export interface StoreHooks {
  add?: () => Promise<void>;
  remove?: () => Promise<void>;
  nearest?: () => Promise<void>;
}

/** An embedder that records its texts, and first calls `before`. */
export interface TestEmbedder extends Embedder {
  embedded: string[];
  before: (texts: readonly string[]) => Promise<void> | void;
}

/** An embedder with words as dimensions: texts that share words are similar. */
export function wordEmbedder(id = "words/1", dimension = 32): TestEmbedder {
  const embedder: TestEmbedder = {
    id,
    isLexical: true,
    defaultThreshold: 0.3,
    embedded: [],
    before: () => {},
    dimension: async () => dimension,
    async embed(texts, use, signal) {
      if (use === "document") await embedder.before(texts);
      signal.throwIfAborted();
      embedder.embedded.push(...texts);
      const vectors = new Float32Array(texts.length * dimension);
      for (const [index, text] of texts.entries()) {
        for (const word of text.toLowerCase().match(/\p{L}+|\p{N}+/gu) ?? []) {
          const at = Number(Bun.hash(word) % BigInt(dimension));
          vectors[index * dimension + at] = (vectors[index * dimension + at] ?? 0) + 1;
        }
        normalise(vectors.subarray(index * dimension, (index + 1) * dimension));
      }
      return vectors;
    },
  };
  return embedder;
}

function normalise(vector: Float32Array): void {
  const length = Math.hypot(...vector);
  if (length > 0) for (const [index, value] of vector.entries()) vector[index] = value / length;
}

/** A store in memory whose calls can fail or wait. */
export function hookedStore(hooks: StoreHooks): VectorStore {
  const store = createMemoryStore();
  return {
    ...store,
    async open(key, dimension) {
      const rows = await store.open(key, dimension);
      const hooked: VectorCollection = {
        dimension: rows.dimension,
        count: () => rows.count(),
        list: (what, page) => rows.list(what, page),
        matching: (query) => rows.matching?.(query) ?? Promise.resolve([]),
        async add(batch) {
          await hooks.add?.();
          await rows.add(batch);
        },
        async nearest(query) {
          const found = await rows.nearest(query);
          await hooks.nearest?.();
          return found;
        },
        async remove(what) {
          await hooks.remove?.();
          await rows.remove(what);
        },
      };
      return hooked;
    },
  };
}

/** Collections over a database, with rows in memory. */
export interface RagWorld {
  ports: RagPorts;
  registry: CollectionRegistry;
  clock: FakeClock;
  hooks: StoreHooks;
  embedder: TestEmbedder;
  pipeline: RagPipeline;
  /** Ingests documents into `notes`. */
  ingest(documents: readonly GivenDocument[], more?: Partial<Ingest>): Promise<IngestedDocument[]>;
  search(query: string, more?: Partial<PassageQuery>): Promise<FoundPassage[] | undefined>;
  /** Counts the rows in the store, valid or not. */
  rowCount(): Promise<number>;
  /** Another process over the same database and store. */
  beside(owner: string): RagWorld;
}

/** The tables that `storage` needs. */
export const ragWorldTables = ragTables;

export function ragWorld(storage: Storage<ReturnType<typeof ragTables>>): RagWorld {
  const hooks: StoreHooks = {};
  return worldOf(storage, { hooks, store: hookedStore(hooks), embedder: wordEmbedder(), owner: "one" });
}

interface Inside {
  hooks: StoreHooks;
  store: VectorStore;
  embedder: TestEmbedder;
  owner: string;
}

function worldOf(storage: Storage<ReturnType<typeof ragTables>>, inside: Inside): RagWorld {
  const { hooks, store, embedder, owner } = inside;
  const clock = new FakeClock();
  const registry = sqlCollectionRegistry(storage, { owner, clock });
  const ports: RagPorts = { registry, held: new HeldVectors(clock), newId, clock, log: silentLogger };
  const pipeline: RagPipeline = {
    ...defaultPipeline("notes", {
      storeOf: () => store,
      embedderOf: () => embedder,
      rerankerOf: () => {
        throw new Error("There is no reranker.");
      },
      chunkerOf: createChunker,
      storeDefaults: {},
      processId: "test",
    }),
    chunking: { strategy: "fixed", chunk_size: 40, overlap: 0, similarity_threshold: 0.5 },
  };
  const never = new AbortController().signal;
  const world: RagWorld = {
    ports,
    registry,
    clock,
    hooks,
    embedder,
    pipeline,
    async ingest(documents, more = {}) {
      const outcomes: IngestedDocument[] = [];
      const taken = (index: number, outcome: IngestedDocument) => {
        outcomes[index] = outcome;
      };
      const ingest = { tenant: "t", collection: "notes", signal: never, taken, ...more };
      await ingestDocuments(ports, world.pipeline, await checkDocuments(documents), ingest);
      return outcomes;
    },
    search: (query, more = {}) =>
      findPassages(ports, world.pipeline, {
        tenant: "t",
        collection: "notes",
        query,
        signal: never,
        ...more,
      }),
    async rowCount() {
      const collection = await registry.find("t", "notes");
      return collection === undefined ? 0 : (await openRows(world.pipeline, collection)).count();
    },
    beside: (other) => worldOf(storage, { ...inside, owner: other }),
  };
  return world;
}
