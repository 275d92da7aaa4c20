import type { Problem } from "../../kit/app-error.ts";
import type { Clock } from "../../kit/clock.ts";
import type { Logger } from "../../kit/log.ts";
import type { PostgresServers } from "../../kit/postgres/postgres-servers.ts";
import type { Random } from "../../kit/retry.ts";
import type { LoadLance } from "./lancedb/native/load-lance.ts";
import type { VectorStoreSettings } from "./store-settings.ts";
import type { VectorStore } from "./vector-store.ts";

/** What stores may use of the world. */
export interface VectorStorePorts {
  /** For servers of the operator's own configuration. */
  fetch: (url: string, init: RequestInit) => Promise<Response>;
  clock: Clock;
  log: Logger;
  random: Random;
  /** The variable of that name, for `api_key_env`; once read it is masked in logs and traces. */
  variable: (name: string) => string | undefined;
  /** Where stores without a server keep what they have. */
  dataFolder: string;
  /** PostgreSQL of the whole installation; used for `pgvector` where nothing else is named. */
  databaseUrl?: string | undefined;
  /** The PostgreSQL servers that this process knows. */
  servers?: PostgresServers | undefined;
  /** `spec.vectors` of runtime.yaml. */
  defaults?: VectorStoreSettings | undefined;
}

/** What makers of stores may use besides. */
export interface StoreBuildPorts extends VectorStorePorts {
  /** One for all stores. */
  loadLance: LoadLance;
}

/** Settings with the installation's defaults put in. */
export type ResolvedSettings = VectorStoreSettings & { backend: string };

/** A kind of store: what it is called, what it takes, and how it is made. */
export interface VectorStoreKind {
  readonly name: string;
  /** One line of the documents. */
  readonly description: string;
  /** Why these settings can't be honoured; none: `build` takes them. */
  problems(settings: ResolvedSettings, ports: VectorStorePorts): Problem[];
  /** Loads the store's code; what it needs of the world is opened at first use. */
  build(settings: ResolvedSettings, ports: StoreBuildPorts): Promise<VectorStore>;
}

type SettingName = Exclude<keyof VectorStoreSettings, "backend">;

/** A problem for each of these settings that is there: what would be ignored is refused. */
export function refuseSettings(settings: ResolvedSettings, names: readonly SettingName[]): Problem[] {
  return names.flatMap((path) =>
    settings[path] === undefined
      ? []
      : [{ path, message: `is not a setting of ${settings.backend}; remove it` }],
  );
}
