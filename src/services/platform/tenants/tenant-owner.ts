import { and, asc, eq, ne, sql } from "drizzle-orm";
import { jsonRows } from "../../../storage/json-rows.ts";
import { statement } from "../../../storage/statement.ts";
import type { ReadQuery } from "../../../storage/storage.ts";
import type { PlatformTables, StoreDeps } from "../tables.ts";

/** Tenants that one question may name. */
const askedMax = 1_000;

/**
 * Returns the person behind each tenant, by whom shared places are given: its first owner, or the tenant itself if that is an operator or
 * nobody.
 */
export async function tenantOwners(
  { storage: { read, tables } }: Pick<StoreDeps, "storage">,
  tenantIds: readonly string[],
): Promise<Map<string, string>> {
  const owners = new Map(tenantIds.map((id) => [id, id]));
  const found = new Set<string>();
  for (let from = 0; from < tenantIds.length; from += askedMax) {
    const ids = JSON.stringify(tenantIds.slice(from, from + askedMax));
    for (const { tenantId, userId } of await ownersOf(read, tables).execute({ ids })) {
      if (!found.has(tenantId)) owners.set(tenantId, userId);
      found.add(tenantId);
    }
  }
  return owners;
}

/** Does the same for one tenant. */
export async function tenantOwner(deps: Pick<StoreDeps, "storage">, tenantId: string): Promise<string> {
  return (await tenantOwners(deps, [tenantId])).get(tenantId) ?? tenantId;
}

const ownersOf = statement((query: ReadQuery, { tenantMembers, users }: PlatformTables) => {
  const ids = jsonRows(tenantMembers, "ids");
  return query
    .select({ tenantId: tenantMembers.tenantId, userId: tenantMembers.userId })
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
