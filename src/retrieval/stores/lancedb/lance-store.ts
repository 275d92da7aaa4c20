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
  /** For an object store, as LanceDB names them; what is absent is taken from the environment (`AWS_…`, `GOOGLE_…`, `AZURE_…`). */
  storageOptions?: Readonly<Record<string, string>>;
  /** One for all stores of a process. */
  load: LoadLance;
  clock: Clock;
  log: Logger;
  limits?: Partial<LanceLimits>;
}

export interface LanceLimits {
  /** LanceDB's own threads are as many as the cores: more searches at once only get into the event loop's way. */
  searchesAtOnce: number;
  /** More are refused as `too_busy` (503). */
  searchesWaitingMax: number;
  openTablesMax: number;
  /** Parts of indexes that are kept in memory; others are read again. */
  indexCacheBytes: number;
  metadataCacheBytes: number;
}

const mebibyte = 1024 ** 2;

/** Vectors in LanceDB, in this process. Nothing is loaded or written before the first use of the store. */
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
  /** The folder that the connection's open files are of. */
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
    // LanceDB isn't loaded for a folder: lists and the doctor ask for its place too.
    async place() {
      if (folder === undefined)
        return using((database) => writtenPlace({ open: (key, dimension) => database.open(key, dimension) }));
      const place = await folderPlace(folder);
      // What is open of a folder that was exchanged shows files that are gone.
      if (instance !== undefined && instance !== place.instance) await close();
      instance = place.instance;
      return place;
    },
    check: () => using((database) => database.check()),
    // A store that nobody has used needs no upkeep, and its addon isn't loaded for that.
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
