import { socketAddress } from "../compose/peers.ts";
import type { Config } from "../compose/settings/config.ts";
import type { SettingRow } from "../compose/settings/setting.ts";
import { daemonClient } from "../contracts/daemon/client.ts";
import type { StoredProvider } from "../contracts/daemon/models/stored-providers.ts";
import type { ModelSources } from "../engine/models/model-sources.ts";
import { redactText } from "../kit/secrets/redact-text.ts";
import { operatorTenant } from "../services/daemon/operator-tenant.ts";
import { type ProviderTables, providerTables } from "../services/daemon/providers/schema.ts";
import { presentProvider, readProviders } from "../services/daemon/providers/store.ts";
import { readSqlite, type SqliteReader } from "../storage/sqlite/open-sqlite.ts";
import { findServer } from "./reach.ts";

/** Providers that the owner set up through the API, for commands that start no daemon. They contain no keys. */
export interface KnownProviders {
  /** Returns the configuration as the daemon uses it, with these in place of entries of providers.yaml with the same names. */
  over(config: Config): Config;
  /** Tells the engine which of them have a key, without the keys. */
  stored: NonNullable<ModelSources["stored"]>;
  /** The providers of providers.yaml and these, for `argosy config`. */
  rows(config: Config): SettingRow[];
}

/**
 * Reads them from the data folder. With PostgreSQL, asks the running server of the data folder; without one, none are known.
 * Changes nothing and takes no lock.
 */
export async function openKnownProviders(config: Config): Promise<KnownProviders> {
  const known = new Map((await readKnown(config)).map((provider) => [provider.name, provider]));
  return {
    over(config) {
      const { providers } = config.providers;
      const entries = Object.fromEntries([...known].map(([name, provider]) => [name, entryOf(provider)]));
      return { ...config, providers: { ...config.providers, providers: { ...providers, ...entries } } };
    },
    stored: {
      find: (name) => known.get(name),
      keyOf: (name) => (known.get(name)?.has_key === true ? "sealed" : undefined),
    },
    rows(config) {
      const inFile = Object.entries(config.providers.providers).filter(([name]) => !known.has(name));
      const rows = [
        ...inFile.map(([name, entry]) => rowOf(name, entry, "providers.yaml", `providers.${name}`)),
        ...[...known].map(([name, entry]) =>
          rowOf(name, entry, "stored", `PUT /v1/system/providers/${name}`),
        ),
      ];
      return rows.sort((one, other) => (one.key < other.key ? -1 : 1));
    },
  };
}

async function readKnown(config: Config): Promise<StoredProvider[]> {
  if (config.databaseUrl !== undefined) return readFromServer(config);
  let reader: SqliteReader<ProviderTables> | undefined;
  try {
    reader = readSqlite({ service: "daemon", folder: config.dataFolder, tables: providerTables });
    return (await readProviders(reader, operatorTenant)).map(presentProvider);
  } catch {
    // There is no database yet, or one that the next start upgrades. `argosy doctor` reports a damaged one.
    return [];
  } finally {
    reader?.close();
  }
}

async function readFromServer(config: Config): Promise<StoredProvider[]> {
  const socket = await findServer(config, "daemon");
  if (socket === undefined) return [];
  return (await daemonClient(socketAddress(socket)).listStoredProviders()).providers;
}

type Entry = Config["providers"]["providers"][string];

function entryOf({ type, endpoint, context_window, prices }: StoredProvider): Entry {
  return {
    type,
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(context_window === undefined ? {} : { context_window }),
    prices,
  };
}

function rowOf(
  name: string,
  { type, endpoint }: Pick<Entry, "type" | "endpoint">,
  source: SettingRow["source"],
  origin: string,
): SettingRow {
  const value = redactText(endpoint === undefined ? type : `${type} ${endpoint}`);
  return { key: `providers.${name}`, value, source, name: origin };
}
