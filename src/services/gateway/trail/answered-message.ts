import { and, eq } from "drizzle-orm";
import type { GatewayStorage } from "../tables.ts";

/** Returns the provider's id of the user's message that a message of the outbox answers; undefined if it answers none. */
export async function answeredMessage(
  { read, tables: { trail } }: Pick<GatewayStorage, "read" | "tables">,
  { tenantId, messageId }: { tenantId: string; messageId: string },
): Promise<string | undefined> {
  const [row] = await read
    .select({ answered: trail.channelMessageId })
    .from(trail)
    .where(and(eq(trail.relatedId, messageId), eq(trail.tenantId, tenantId), eq(trail.event, "answered")))
    .limit(1);
  return row?.answered ?? undefined;
}
