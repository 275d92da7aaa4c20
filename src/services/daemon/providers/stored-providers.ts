import type { ModelSources } from "../../../engine/models/model-sources.ts";
import type { Clock } from "../../../kit/clock.ts";
import { serialQueue } from "../../../kit/concurrency/serial-queue.ts";
import type { Logger } from "../../../kit/log.ts";
import type { Sealer } from "../../../storage/sealing/seal.ts";
import type { Storage } from "../../../storage/storage.ts";
import { operatorTenant } from "../operator-tenant.ts";
import type { ProviderTables, StoredProviderRow } from "./schema.ts";
import { deleteProvider, readProviders, writeProvider } from "./store.ts";

type File = NonNullable<ModelSources["file"]>;

/** The providers that the owner set up through the API. They take the place of entries of providers.yaml with their names. */
export interface StoredProviders {
  /** Undefined: secrets can't be stored here. */
  readonly sealer: Sealer | undefined;
  list(): readonly StoredProviderRow[];
  find(name: string): StoredProviderRow | undefined;
  keyOf(name: string): string | undefined;
  /** Another value after each change. */
  revision(): number;
  /** Reads changes that another process made to the shared database. Returns true if there were any. */
  refresh(): Promise<boolean>;
  /** The file as it is at each read, with these over it; what it shows follows each change. */
  over(file: () => File): File;
  save(row: Omit<StoredProviderRow, "tenant" | "updatedAt">): Promise<StoredProviderRow>;
  /** Returns false when there is no such provider. */
  remove(name: string): Promise<boolean>;
}

export interface StoredProvidersParts {
  storage: Storage<ProviderTables>;
  sealer: Sealer | undefined;
  /** Keeps a key out of logs and traces. */
  conceal: (secret: string) => void;
  clock: Clock;
  log: Logger;
}

/** The associated data of a provider's sealed key. */
export const keyContext = (name: string) => ({ purpose: "provider.key", tenant: operatorTenant, name });

export async function openStoredProviders(parts: StoredProvidersParts): Promise<StoredProviders> {
  const { storage, sealer, conceal, clock, log } = parts;
  const oneByOne = serialQueue();
  let rows: ReadonlyMap<string, StoredProviderRow> = new Map();
  let keys: ReadonlyMap<string, string> = new Map();
  let entries: File["providers"] = {};
  let revision = 0;

  /** Returns false if nothing differs from the last read. */
  async function read(): Promise<boolean> {
    const providers = await readProviders(storage, operatorTenant);
    if (revision > 0 && Bun.deepEquals(providers, [...rows.values()])) return false;
    const opened = new Map<string, string>();
    for (const { name, apiKey } of providers) {
      const key = apiKey === null ? undefined : openKey(name, apiKey);
      if (key === undefined) continue;
      conceal(key);
      opened.set(name, key);
    }
    rows = new Map(providers.map((row) => [row.name, row]));
    keys = opened;
    entries = Object.fromEntries(providers.map((row) => [row.name, entryOf(row)]));
    revision++;
    return true;
  }

  /** A key that can't be opened is missing: its provider's calls say so, and all else goes on. */
  function openKey(name: string, sealed: string): string | undefined {
    try {
      return sealer?.open(sealed, keyContext(name));
    } catch (thrown) {
      log.error("provider.key_unreadable", { provider: name, err: thrown });
      return undefined;
    }
  }

  await read();
  return {
    sealer,
    list: () => [...rows.values()],
    find: (name) => rows.get(name),
    keyOf: (name) => keys.get(name),
    revision: () => revision,
    refresh: () => oneByOne(read),
    over: (file) => ({
      get default() {
        return file().default;
      },
      get providers() {
        return { ...file().providers, ...entries };
      },
    }),
    save: (row) =>
      oneByOne(async () => {
        const stored = { ...row, tenant: operatorTenant, updatedAt: clock.now() };
        await writeProvider(storage, stored);
        await read();
        return stored;
      }),
    remove: (name) =>
      oneByOne(async () => {
        const isGone = await deleteProvider(storage, operatorTenant, name);
        if (isGone) await read();
        return isGone;
      }),
  };
}

function entryOf({ type, endpoint, contextWindow, prices }: StoredProviderRow): File["providers"][string] {
  return {
    type,
    ...(endpoint === null ? {} : { endpoint }),
    ...(contextWindow === null ? {} : { context_window: contextWindow }),
    prices,
  };
}
