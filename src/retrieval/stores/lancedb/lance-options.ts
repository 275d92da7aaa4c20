import type { Clock } from "../../../kit/clock.ts";
import type { Logger } from "../../../kit/log.ts";
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
  /** Whose turn the searches of a tenant wait for; the tenant's own by default. */
  ownerOf?: ((tenant: string) => string) | undefined;
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
