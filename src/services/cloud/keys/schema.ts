import type { Columns } from "../../../storage/tables/columns.ts";

/** API keys of orgs. */
export const keyTables = ({ table, id, text, instant, index }: Columns) => ({
  apiKeys: table(
    "api_keys",
    {
      /** SHA-256 of the key, in hex. */
      hash: id("hash").primaryKey(),
      id: id("id").notNull(),
      orgId: id("org_id").notNull(),
      name: text("name").notNull(),
      /** The leading part of the key, for lists. */
      prefix: text("prefix").notNull(),
      /** Person who made it; empty for the machine's owner. */
      createdBy: id("created_by").notNull(),
      createdAt: instant("created_at").notNull(),
      /** Null: never. */
      expiresAt: instant("expires_at"),
      lastUsedAt: instant("last_used_at"),
      revokedAt: instant("revoked_at"),
    },
    (key) => [index("api_keys_org").on(key.orgId, key.id)],
  ),
});
