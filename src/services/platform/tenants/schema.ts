import type { MemberRole } from "../../../contracts/platform/members.ts";
import type { Columns } from "../../../storage/tables/columns.ts";

/** Tenants and the API keys of their programs. */
export const tenantTables = ({ table, id, text, instant, index, unique }: Columns) => ({
  tenants: table(
    "tenants",
    {
      id: id("id").primaryKey(),
      /** Id of the person who created it. Their limit counts it. */
      userId: id("user_id").notNull(),
      /** A DNS label that is never reused. */
      crName: text("cr_name").notNull(),
      displayName: text("display_name").notNull(),
      createdAt: instant("created_at").notNull(),
      deletedAt: instant("deleted_at"),
    },
    (tenant) => [unique("tenants_cr_name").on(tenant.crName), index("tenants_user").on(tenant.userId)],
  ),
  apiKeys: table(
    "api_keys",
    {
      /** SHA-256 of the key, in hex. */
      hash: id("hash").primaryKey(),
      tenantId: id("tenant_id").notNull(),
      label: text("label").notNull(),
      /** Person who made it; empty for the machine's owner. */
      createdBy: id("created_by").notNull(),
      createdAt: instant("created_at").notNull(),
      /** Null: never. */
      expiresAt: instant("expires_at"),
      lastUsedAt: instant("last_used_at"),
      revokedAt: instant("revoked_at"),
      /** What the key may do; null: everything. */
      role: text("role").$type<MemberRole>(),
    },
    (key) => [index("api_keys_tenant").on(key.tenantId)],
  ),
});

export type TenantTables = ReturnType<typeof tenantTables>;
