import { desc, inArray, or, sql } from "drizzle-orm";
import type { TenantNameList } from "../../../contracts/platform/admin.ts";
import { batches } from "../../../kit/batches.ts";
import { containsText } from "../../../storage/contains-text.ts";
import type { ReadQuery } from "../../../storage/storage.ts";
import type { PlatformTables } from "../tables.ts";

/** Maximum number of ids in one statement, below the parameter limits of both databases. */
const idsAtOnce = 1000;

/** Returns the display names of these tenants by id, including deleted ones. */
export async function tenantNames(
  query: ReadQuery,
  { tenants }: PlatformTables,
  ids: readonly (string | null)[],
): Promise<Map<string, string>> {
  const wanted = [...new Set(ids)].filter((id) => id !== null);
  const names = new Map<string, string>();
  for (const some of batches(wanted, idsAtOnce)) {
    const rows = await query
      .select({ id: tenants.id, displayName: tenants.displayName })
      .from(tenants)
      .where(inArray(tenants.id, some));
    for (const { id, displayName } of rows) names.set(id, displayName);
  }
  return names;
}

/** Finds tenants whose name or code contains a text in any case, or whose id it is. Newest first, including deleted ones. */
export async function searchTenants(
  query: ReadQuery,
  { tenants }: PlatformTables,
  { search = "", limit }: { search?: string; limit: number },
): Promise<TenantNameList> {
  const text = search.trim();
  const rows = await query
    .select()
    .from(tenants)
    .where(
      text === ""
        ? undefined
        : or(
            containsText(tenants.displayName, text),
            containsText(tenants.crName, text),
            sql`cast(${tenants.id} as text) = ${text.toLowerCase()}`,
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
