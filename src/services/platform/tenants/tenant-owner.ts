import { and, asc, eq, ne, sql } from "drizzle-orm";
import { firstOwners } from "../../../control-plane/members/owners.ts";
import { jsonRows } from "../../../storage/json-rows.ts";
import { statement } from "../../../storage/statement.ts";
import type { ReadQuery } from "../../../storage/storage.ts";
import type { PlatformTables, StoreDeps } from "../tables.ts";

/**
 * Returns the person behind each tenant, by whom shared places are given: its first owner, or the tenant itself if that is an operator or
 * nobody.
 */
export const tenantOwners = (
  { storage: { read, tables } }: Pick<StoreDeps, "storage">,
  tenantIds: readonly string[],
): Promise<Map<string, string>> => firstOwners(tenantIds, (ids) => ownersOf(read, tables).execute({ ids }));

/** Does the same for one tenant. */
export async function tenantOwner(deps: Pick<StoreDeps, "storage">, tenantId: string): Promise<string> {
  return (await tenantOwners(deps, [tenantId])).get(tenantId) ?? tenantId;
}

const ownersOf = statement((query: ReadQuery, { tenantMembers, users }: PlatformTables) => {
  const ids = jsonRows(tenantMembers, "ids");
  return query
    .select({ of: tenantMembers.tenantId, userId: tenantMembers.userId })
    .from(tenantMembers)
    .innerJoin(users, eq(users.id, tenantMembers.userId))
    .where(
      and(
        sql`${tenantMembers.tenantId} in (select ${ids.self} from ${ids.from})`,
        eq(tenantMembers.role, "owner"),
        ne(users.role, "operator"),
      ),
    )
    .orderBy(asc(tenantMembers.joinedAt), asc(tenantMembers.userId))
    .prepare("platform_tenant_owners");
});
