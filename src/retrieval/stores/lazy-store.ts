import { storeUnavailable } from "./store-failure.ts";
import type { VectorStore } from "./vector-store.ts";

/** A store that is loaded on first use; maintenance and closing don't load it. */
export function lazyStore(backend: string, load: () => Promise<VectorStore>): VectorStore {
  let loading: Promise<VectorStore> | undefined;
  let loaded: VectorStore | undefined;
  let closed = false;
  const store = () => {
    if (closed) throw storeUnavailable("The vector store is closed.");
    loading ??= load().then(
      (made) => {
        loaded = made;
        return made;
      },
      (thrown) => {
        // The next caller tries again.
        loading = undefined;
        throw thrown;
      },
    );
    return loading;
  };

  return {
    backend,
    open: async (key, dimension) => (await store()).open(key, dimension),
    drop: async (key) => (await store()).drop(key),
    place: async () => (await store()).place(),
    check: async () => (await store()).check(),
    maintain: async (signal) => loaded?.maintain?.(signal),
    async close() {
      closed = true;
      await (await loading?.catch(() => undefined))?.close();
    },
  };
}
