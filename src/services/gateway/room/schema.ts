import type { Columns } from "../../../storage/tables/columns.ts";

/** How much tenants may store, as the platform told it last. */
export const roomTables = ({ table, id, money }: Columns) => ({
  storageLimits: table("storage_limits", {
    tenantId: id("tenant_id").primaryKey(),
    /** Bytes of everything that the tenant stores in all services; null: no limit. */
    bytes: money("bytes"),
  }),
});
