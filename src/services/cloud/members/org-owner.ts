import { and, asc, eq, isNotNull, sql } from "drizzle-orm";
import { jsonRows } from "../../../storage/json-rows.ts";
import { statement } from "../../../storage/statement.ts";
import type { ReadQuery } from "../../../storage/storage.ts";
import type { CloudTables, StoreDeps } from "../tables.ts";

/** Orgs that one question may name. */
const askedMax = 1_000;

/** Returns the person behind each org, by whom shared places are given: its first owner, or the org itself while it has none. */
export async function orgOwners(
  { storage: { read, tables } }: Pick<StoreDeps, "storage">,
  orgIds: readonly string[],
): Promise<Map<string, string>> {
  const owners = new Map<string, string>();
  for (let from = 0; from < orgIds.length; from += askedMax) {
    const ids = JSON.stringify(orgIds.slice(from, from + askedMax));
    for (const { orgId, userId } of await ownersOf(read, tables).execute({ ids })) {
      if (userId !== null && !owners.has(orgId)) owners.set(orgId, userId);
    }
  }
  for (const id of orgIds) if (!owners.has(id)) owners.set(id, id);
  return owners;
}

/** Does the same for one org. */
export async function orgOwner(deps: Pick<StoreDeps, "storage">, orgId: string): Promise<string> {
  return (await orgOwners(deps, [orgId])).get(orgId) ?? orgId;
}

const ownersOf = statement((query: ReadQuery, { members }: CloudTables) => {
  const ids = jsonRows(members, "ids");
  return query
    .select({ orgId: members.orgId, userId: members.userId })
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
