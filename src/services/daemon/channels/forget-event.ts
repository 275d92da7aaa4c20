import { and, eq } from "drizzle-orm";
import type { InboxRow } from "../../../channels/inbox/schema.ts";
import type { Query } from "../../../storage/storage.ts";
import type { ChannelTables } from "./schema.ts";

/** Columns of a closed event without what its sender wrote. The id stays, so that a repeated delivery is recognized. */
export const forgotten = { event: { type: "forgotten" }, plan: null } as const;

/** Deletes the content of an event, within the transaction that closes it. */
export async function forgetEvent(
  tx: Query,
  { inbound }: ChannelTables,
  { tenantId, id }: Pick<InboxRow, "tenantId" | "id">,
): Promise<void> {
  await tx
    .update(inbound)
    .set(forgotten)
    .where(and(eq(inbound.tenantId, tenantId), eq(inbound.id, id)));
}
