import { and, asc, eq, isNotNull, sql } from "drizzle-orm";
import { firstOwners } from "../../../control-plane/members/owners.ts";
import { jsonRows } from "../../../storage/json-rows.ts";
import { statement } from "../../../storage/statement.ts";
import type { ReadQuery } from "../../../storage/storage.ts";
import type { CloudStoreDeps, CloudTables } from "../tables.ts";

/** Returns the person behind each org, by whom shared places are given: its first owner, or the org itself while it has none. */
export const orgOwners = (
  { storage: { read, tables } }: Pick<CloudStoreDeps, "storage">,
  orgIds: readonly string[],
): Promise<Map<string, string>> => firstOwners(orgIds, (ids) => ownersOf(read, tables).execute({ ids }));

/** Does the same for one org. */
export async function orgOwner(deps: Pick<CloudStoreDeps, "storage">, orgId: string): Promise<string> {
  return (await orgOwners(deps, [orgId])).get(orgId) ?? orgId;
}

const ownersOf = statement((query: ReadQuery, { members }: CloudTables) => {
  const ids = jsonRows(members, "ids");
  return query
    .select({ of: members.orgId, userId: members.userId })
    .from(members)
    .where(
      and(
        sql`${members.orgId} in (select ${ids.self} from ${ids.from})`,
        eq(members.role, "owner"),
        isNotNull(members.joinedAt),
      ),
    )
    .orderBy(asc(members.joinedAt), asc(members.id))
    .prepare("cloud_org_owners");
});
