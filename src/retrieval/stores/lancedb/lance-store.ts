import { availableParallelism } from "node:os";
import type { Clock } from "../../../kit/clock.ts";
import type { Logger } from "../../../kit/log.ts";
import type { VectorStore } from "../vector-store.ts";
import { writtenPlace } from "../written-place.ts";
import { folderPlace } from "./folder-place.ts";
import type { LanceDatabase } from "./lance-database.ts";
import { lanceFault } from "./lance-fault.ts";
import { folderOfPlace } from "./lance-place.ts";
import type { LoadLance } from "./native/load-lance.ts";

export interface LanceStoreOptions {
  /** A folder, or the URL of an object store: `s3://bucket/path`, `gs://…`, `az://…`. */
  place: string;
  /** Options of an object store with LanceDB's names; absent ones come from the environment (`AWS_…`, `GOOGLE_…`, `AZURE_…`). */
  storageOptions?: Readonly<Record<string, string>>;
  /** Shared by all stores of a process. */
  load: LoadLance;
  clock: Clock;
  log: Logger;
  limits?: Partial<LanceLimits>;
}

export interface LanceLimits {
  /** LanceDB has one thread per core, so more parallel searches would only slow down the event loop. */
  searchesAtOnce: number;
  /** Further searches are refused as `too_busy` (503). */
  searchesWaitingMax: number;
  openTablesMax: number;
  /** Memory for cached parts of indexes; others are read again. */
  indexCacheBytes: number;
  metadataCacheBytes: number;
}

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
    close,
  };
}

async function connect(options: LanceStoreOptions, limits: LanceLimits): Promise<LanceDatabase> {
  const { LanceDatabase } = await import("./lance-database.ts");
  return LanceDatabase.connect(options, limits);
}
