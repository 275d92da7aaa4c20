import { availableParallelism } from "node:os";
import type { VectorStore } from "../vector-store.ts";
import { writtenPlace } from "../written-place.ts";
import { folderPlace } from "./folder-place.ts";
import type { LanceDatabase } from "./lance-database.ts";
import { lanceFault } from "./lance-fault.ts";
import type { LanceLimits, LanceStoreOptions } from "./lance-options.ts";
import { folderOfPlace } from "./lance-place.ts";

const mebibyte = 1024 ** 2;

/** Creates a store with LanceDB in this process. Nothing is loaded or written before its first use. */
export function createLanceStore(options: LanceStoreOptions): VectorStore {
  const limits: LanceLimits = {
    searchesAtOnce: availableParallelism(),
    searchesWaitingMax: 1024,
    openTablesMax: 64,
    indexCacheBytes: 16 * mebibyte,
    metadataCacheBytes: 8 * mebibyte,
    ...options.limits,
  };
  let connecting: Promise<LanceDatabase> | undefined;
  const connected = () => {
    connecting ??= connect(options, limits).catch((thrown) => {
      // The next use tries again.
      connecting = undefined;
      throw thrown;
    });
    return connecting;
  };
  const folder = folderOfPlace(options.place);
  /** Instance of the folder to which the connection's open files belong. */
  let instance: string | undefined;
  const close = async () => {
    const closing = connecting;
    connecting = undefined;
    await (await closing?.catch(() => undefined))?.close();
  };
  const using = async <T>(work: (database: LanceDatabase) => Promise<T>): Promise<T> => {
    try {
      return await work(await connected());
    } catch (thrown) {
      throw lanceFault(thrown);
    }
  };
  return {
    backend: "lancedb",
    open: (key, dimension) => using((database) => database.open(key, dimension)),
    drop: (key) => using((database) => database.drop(key)),
    // Does not load LanceDB for a folder, because listings and the doctor also ask for the place.
    async place() {
      if (folder === undefined)
        return using((database) => writtenPlace({ open: (key, dimension) => database.open(key, dimension) }));
      const place = await folderPlace(folder);
      // If the folder was replaced, open files belong to the old one.
      if (instance !== undefined && instance !== place.instance) await close();
      instance = place.instance;
      return place;
    },
    check: () => using((database) => database.check()),
    // An unused store needs no maintenance, so its addon isn't loaded.
    async maintain(signal) {
      if (connecting !== undefined) await using((database) => database.maintain(signal));
    },
    async finish() {
      if (connecting !== undefined) await using((database) => database.finish());
    },
    close,
  };
}

async function connect(options: LanceStoreOptions, limits: LanceLimits): Promise<LanceDatabase> {
  const { LanceDatabase } = await import("./lance-database.ts");
  return LanceDatabase.connect(options, limits);
}
