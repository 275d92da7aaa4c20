import type { Problem } from "../../kit/app-error.ts";
import type { Clock } from "../../kit/clock.ts";
import type { Logger } from "../../kit/log.ts";
import type { PostgresServers } from "../../kit/postgres/postgres-servers.ts";
import type { Random } from "../../kit/retry.ts";
import type { LoadLance } from "./lancedb/native/load-lance.ts";
import type { VectorStore } from "./vector-store.ts";

/** Dependencies of stores. */
export interface VectorStorePorts {
  /** For servers in the operator's configuration. */
  fetch: (url: string, init: RequestInit) => Promise<Response>;
  clock: Clock;
  log: Logger;
  random: Random;
  /** Returns the value of a variable, for `api_key_env`; once read, it is masked in logs and traces. */
  variable: (name: string) => string | undefined;
  /** The reason why no variable is sent to an address that files name. */
  refusal?: (() => string | undefined) | undefined;
  /** Folder in which stores without a server keep their data. */
  dataFolder: string;
  /** This user's folder for files that can be made again; absent: they are made in the data folder. */
  cacheFolder?: string | undefined;
  /** The person or paying party behind a tenant; owners take turns. By default, the tenant. */
  ownerOf?: ((tenant: string) => string) | undefined;
  /** PostgreSQL of the whole installation; default for `pgvector`. */
  databaseUrl?: string | undefined;
  /** The PostgreSQL servers that this process knows. */
  servers?: PostgresServers | undefined;
  /** `spec.vectors` of runtime.yaml. */
  defaults?: VectorStoreSettings | undefined;
}

/** Additional dependencies for building stores. */
export interface StoreBuildPorts extends VectorStorePorts {
  /** Shared by all stores. */
  loadLance: LoadLance;
}

/** Settings with the installation's defaults applied. */
export type ResolvedSettings = VectorStoreSettings & { backend: string };

/** A kind of store: its name, settings and builder. */
export interface VectorStoreKind {
  readonly name: string;
  /** One line for the documentation. */
  readonly description: string;
  /** Problems of the settings; if there are none, `build` accepts them. */
  problems(settings: ResolvedSettings, ports: VectorStorePorts): Problem[];
  /** Loads the store's code; connections and files are opened on first use. */
  build(settings: ResolvedSettings, ports: StoreBuildPorts): Promise<VectorStore>;
}

type SettingName = Exclude<keyof VectorStoreSettings, "backend">;

/** A problem for each of these settings that is present, so that no setting is silently ignored. */
export function refuseSettings(settings: ResolvedSettings, names: readonly SettingName[]): Problem[] {
  return names.flatMap((path) =>
    settings[path] === undefined
      ? []
      : [{ path, message: `is not a setting of ${settings.backend}; remove it` }],
  );
}

/** Settings of a vector store in a manifest or in `spec.vectors` of runtime.yaml. */
export interface VectorStoreSettings {
  /** Absent: the installation's default, which is `lancedb` unless `spec.vectors` sets another. */
  backend?: string | undefined;
  url?: string | undefined;
  api_key_env?: string | undefined;
  /** `pgvector`: connection string. */
  dsn?: string | undefined;
}
