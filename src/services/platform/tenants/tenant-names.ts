import { desc, inArray, or, sql } from "drizzle-orm";
import type { TenantNameList } from "../../../contracts/platform/admin.ts";
import type { ReadQuery } from "../../../storage/storage.ts";
import type { PlatformTables } from "../tables.ts";

/** As many as a statement takes parameters on either engine, with room to spare. */
const idsAtOnce = 1000;

/** What these tenants call themselves, by their ids; deleted ones among them. */
export async function tenantNames(
  query: ReadQuery,
  { tenants }: PlatformTables,
  ids: readonly (string | null)[],
): Promise<Map<string, string>> {
  const wanted = [...new Set(ids)].filter((id) => id !== null);
  const names = new Map<string, string>();
  for (let start = 0; start < wanted.length; start += idsAtOnce) {
    const rows = await query
      .select({ id: tenants.id, displayName: tenants.displayName })
      .from(tenants)
      .where(inArray(tenants.id, wanted.slice(start, start + idsAtOnce)));
    for (const { id, displayName } of rows) names.set(id, displayName);
  }
  return names;
}

/** Tenants with a text in their name or code, or with it as their id; newest first, deleted ones among them. */
export async function searchTenants(
  query: ReadQuery,
  { tenants }: PlatformTables,
  { search = "", limit }: { search?: string; limit: number },
): Promise<TenantNameList> {
  const text = search.trim().toLowerCase();
  const pattern = `%${text.replaceAll(/[\\%_]/g, (sign) => `\\${sign}`)}%`;
  const rows = await query
    .select()
    .from(tenants)
    .where(
      text === ""
        ? undefined
        : or(
            sql`lower(${tenants.displayName}) like ${pattern} escape '\\'`,
            sql`lower(${tenants.crName}) like ${pattern} escape '\\'`,
            sql`cast(${tenants.id} as text) = ${text}`,
          ),
    )
    .orderBy(desc(tenants.id))
    .limit(limit);
  return {
    tenants: rows.map(({ id, displayName, crName, deletedAt }) => ({
      id,
      display_name: displayName,
      cr_name: crName,
      status: deletedAt === null ? "active" : "deleted",
    })),
  };
}
