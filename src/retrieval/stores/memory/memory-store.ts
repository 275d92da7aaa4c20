import { dimensionMismatch, storeUnavailable } from "../store-failure.ts";
import type { CollectionKey, VectorStore } from "../vector-store.ts";
import { MemoryCollection, type MemoryRows, type MemoryVectorPlace, sizeOf } from "./memory-collection.ts";
import { WordIndex } from "./word-index.ts";

/** About 120,000 rows of 384 dimensions with short texts. */
const defaultBytesMax = 512 * 1024 * 1024;

/** Creates a store in the memory of this process with at most `bytesMax` bytes; a search compares every row. */
export function createMemoryStore({ bytesMax = defaultBytesMax }: { bytesMax?: number } = {}): VectorStore {
  const collections = new Map<string, MemoryRows>();
  let used = 0;
  let closed = false;
  const requireOpen = () => {
    if (closed) throw storeUnavailable("The vector store in memory is closed.");
  };

  const placeOf = (name: string, dimension: number): MemoryVectorPlace => ({
    find() {
      requireOpen();
      return collections.get(name);
    },
    ensure() {
      requireOpen();
      const found = collections.get(name) ?? { dimension, byId: new Map(), words: new WordIndex() };
      if (found.dimension !== dimension) throw dimensionMismatch(found.dimension, dimension);
      collections.set(name, found);
      return found;
    },
    take(bytes) {
      if (bytes > 0 && used + bytes > bytesMax) throw full(bytesMax);
      used += bytes;
    },
    give(bytes) {
      used -= bytes;
    },
  });

  return {
    backend: "memory",
    async open(key, dimension) {
      const place = placeOf(nameOf(key), dimension);
      place.ensure();
      return new MemoryCollection(dimension, place);
    },
    async drop(key) {
      requireOpen();
      used -= sizeOf(collections.get(nameOf(key))?.byId.values() ?? []);
      collections.delete(nameOf(key));
    },
    place: async () => undefined,
    check: async () => requireOpen(),
    async close() {
      closed = true;
      collections.clear();
    },
  };
}

const nameOf = ({ tenant, kind, name }: CollectionKey) => JSON.stringify([tenant, kind, name]);

const full = (bytesMax: number) =>
  storeUnavailable(
    `The vector store in memory is full (${Math.round(bytesMax / 1024 / 1024)} MiB). Remove documents, or use a store on disk such as lancedb.`,
  );
