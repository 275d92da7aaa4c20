import { and, eq } from "drizzle-orm";
import type { StoredProvider } from "../../../contracts/daemon/models/stored-providers.ts";
import type { Storage } from "../../../storage/storage.ts";
import type { ProviderTables, StoredProviderRow } from "./schema.ts";

type Providers = Storage<ProviderTables>;

/** In order of names. */
export function readProviders(
  { tables: { storedProviders }, read }: Pick<Providers, "read"> & { tables: ProviderTables },
  tenant: string,
): Promise<StoredProviderRow[]> {
  return read
    .select()
    .from(storedProviders)
    .where(eq(storedProviders.tenant, tenant))
    .orderBy(storedProviders.name);
}

/** Adds a provider, or takes the place of the one with its name. */
export async function writeProvider(
  { tables: { storedProviders }, transact }: Providers,
  row: StoredProviderRow,
): Promise<void> {
  const { tenant: _, name: __, ...changed } = row;
  await transact((tx) =>
    tx
      .insert(storedProviders)
      .values(row)
      .onConflictDoUpdate({
        target: [storedProviders.tenant, storedProviders.name],
        set: changed,
      }),
  );
}

/** Returns false when there is no such provider. */
export async function deleteProvider(
  { tables: { storedProviders }, transact }: Providers,
  tenant: string,
  name: string,
): Promise<boolean> {
  const deleted = await transact((tx) =>
    tx
      .delete(storedProviders)
      .where(and(eq(storedProviders.tenant, tenant), eq(storedProviders.name, name)))
      .returning({ name: storedProviders.name }),
  );
  return deleted.length > 0;
}

/** A provider as the API returns it, without its key. */
export function presentProvider(row: StoredProviderRow): StoredProvider {
  const { name, type, endpoint, apiKey, contextWindow, prices, updatedAt } = row;
  return {
    name,
    type,
    ...(endpoint === null ? {} : { endpoint }),
    has_key: apiKey !== null,
    ...(contextWindow === null ? {} : { context_window: contextWindow }),
    prices,
    updated_at: updatedAt.toISOString(),
  };
}
