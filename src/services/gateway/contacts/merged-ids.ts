import { and, eq } from "drizzle-orm";
import type { Query, ReadQuery } from "../../../storage/storage.ts";
import type { GatewayTables } from "../tables.ts";

/** Returns an id, or the one of what it became part of. */
export async function currentId(
  query: ReadQuery,
  { mergedIds }: GatewayTables,
  of: "contact" | "conversation",
  id: string,
): Promise<string> {
  const [merged] = await query
    .select({ intoId: mergedIds.intoId })
    .from(mergedIds)
    .where(and(eq(mergedIds.of, of), eq(mergedIds.id, id)));
  return merged?.intoId ?? id;
}

/** Lets an id, and all that became part of it before, stand for another. */
export async function noteMerged(
  tx: Query,
  { mergedIds }: GatewayTables,
  merged: GatewayTables["mergedIds"]["$inferSelect"],
): Promise<void> {
  const { of, tenantId, id, intoId } = merged;
  await tx
    .update(mergedIds)
    .set({ intoId })
    .where(and(eq(mergedIds.tenantId, tenantId), eq(mergedIds.of, of), eq(mergedIds.intoId, id)))
    .returning({ id: mergedIds.id });
  await tx.insert(mergedIds).values(merged).onConflictDoNothing();
}
