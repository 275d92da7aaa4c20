import type { PlatformClient } from "./client.ts";

/** Labels of the API keys that the person made, in all of their tenants. */
export async function keysMadeBy(
  client: Pick<PlatformClient, "listTenants" | "listKeys">,
  email: string,
): Promise<string[]> {
  const made: string[] = [];
  for (const tenant of (await client.listTenants()).tenants) {
    const { keys } = await client.listKeys(tenant.id);
    made.push(
      ...keys.flatMap(({ label, created_by: maker }) =>
        maker === email ? [`${label} (${tenant.displayName})`] : [],
      ),
    );
  }
  return made;
}
