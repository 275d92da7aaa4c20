import type { Columns } from "../../../storage/tables/columns.ts";

/** Credentials that a tenant's tools use. */
export const connectionTables = ({ table, id, text, instant, primaryKey }: Columns) => ({
  connections: table(
    "connections",
    {
      tenantId: id("tenant_id").notNull(),
      name: text("name").notNull(),
      /** Null for connections of earlier versions, whose credentials are sent nowhere. */
      baseUrl: text("base_url"),
      /** Sealed for the tenant and the name. */
      material: text("material").notNull(),
      updatedAt: instant("updated_at").notNull(),
    },
    (connection) => [primaryKey({ columns: [connection.tenantId, connection.name] })],
  ),
});
