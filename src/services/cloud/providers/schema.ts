import type { Columns } from "../../../storage/tables/columns.ts";

/** Keys of orgs for model providers. */
export const providerTables = ({ table, id, text, instant, primaryKey }: Columns) => ({
  providerKeys: table(
    "provider_keys",
    {
      orgId: id("org_id").notNull(),
      provider: id("provider").notNull(),
      /** Sealed for the org and the provider. */
      sealed: text("sealed").notNull(),
      /** The last characters, for lists. */
      masked: text("masked").notNull(),
      addedAt: instant("added_at").notNull(),
    },
    (key) => [primaryKey({ columns: [key.orgId, key.provider] })],
  ),
});
