import type { ProviderPrice } from "../../../contracts/daemon/models/stored-providers.ts";
import type { Columns } from "../../../storage/tables/columns.ts";

/** Providers that the owner set up through the API; the key is sealed. */
export const providerTables = ({ table, id, text, json, integer, instant, primaryKey }: Columns) => ({
  storedProviders: table(
    "stored_providers",
    {
      tenant: id("tenant").notNull(),
      name: text("name").notNull(),
      type: text("type").notNull(),
      endpoint: text("endpoint"),
      contextWindow: integer("context_window"),
      prices: json<Record<string, ProviderPrice>>("prices").notNull(),
      /** Sealed: the API key. */
      apiKey: text("api_key"),
      updatedAt: instant("updated_at").notNull(),
    },
    (provider) => [primaryKey({ columns: [provider.tenant, provider.name] })],
  ),
});

export type ProviderTables = ReturnType<typeof providerTables>;

export type StoredProviderRow = ProviderTables["storedProviders"]["$inferSelect"];
