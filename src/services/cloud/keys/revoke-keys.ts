import { and, eq, isNull } from "drizzle-orm";
import type { Query } from "../../../storage/storage.ts";
import type { CloudTables } from "../tables.ts";

/** Revokes the active keys that a person made in an org, and returns their ids. */
export async function revokeKeysOf(
  tx: Query,
  { apiKeys }: CloudTables,
  orgId: string,
  userId: string,
  now: Date,
): Promise<string[]> {
  const revoked = await tx
    .update(apiKeys)
    .set({ revokedAt: now })
    .where(and(eq(apiKeys.orgId, orgId), eq(apiKeys.createdBy, userId), isNull(apiKeys.revokedAt)))
    .returning({ id: apiKeys.id });
  return revoked.map(({ id }) => id);
}
