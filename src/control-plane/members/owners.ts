/** Tenants or orgs that one query may name. */
const askedMax = 1_000;

/** Reads the owners of tenants or orgs whose ids are in a JSON array, the first to join first. */
type ReadOwners = (ids: string) => Promise<readonly { of: string; userId: string | null }[]>;

/** Returns the person behind each tenant or org, who takes turns for it: its first owner, or itself while it has none. */
export async function firstOwners(ids: readonly string[], read: ReadOwners): Promise<Map<string, string>> {
  const owners = new Map<string, string>();
  for (let from = 0; from < ids.length; from += askedMax) {
    for (const { of, userId } of await read(JSON.stringify(ids.slice(from, from + askedMax))))
      if (userId !== null && !owners.has(of)) owners.set(of, userId);
  }
  for (const id of ids) if (!owners.has(id)) owners.set(id, id);
  return owners;
}
