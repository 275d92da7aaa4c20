import { and, eq } from "drizzle-orm";
import { enqueueMessage, type NewMessage } from "../../../channels/outbox/enqueue-message.ts";
import type { OutboxRow } from "../../../channels/outbox/schema.ts";
import type { Query } from "../../../storage/storage.ts";
import type { TurnAuthor } from "../conversations/schema.ts";
import { lockConversation } from "../conversations/store.ts";
import { authorsOf, noteAuthor } from "../desk/store.ts";
import type { EventFeed } from "../events/event-feed.ts";
import { outboundChange } from "../outbox/outbound-change.ts";
import type { OutboxRoom } from "../outbox/outbox-room.ts";
import type { StorageRoom } from "../room/storage-room.ts";
import type { GatewayStoreDeps, GatewayTables } from "../tables.ts";
import { appendTrail } from "../trail/append-trail.ts";
import { changesOf, noteInConversation } from "./send-message.ts";

export interface ResendPorts extends GatewayStoreDeps {
  room: OutboxRoom;
  storageRoom: StorageRoom;
  feed: EventFeed;
}

/** True for a message that the provider accepted and then refused, and that was not sent again. */
export const isUndelivered = ({ status, deliveryStatus }: Pick<OutboxRow, "status" | "deliveryStatus">) =>
  status === "sent" && deliveryStatus === "failed";

/**
 * Queues a message that was accepted and then refused anew, under a new id: a late report about the old call must not count for the new one.
 * Returns the new id; undefined if the message was sent again in the meantime, or was delivered after all.
 */
export async function resendMessage(ports: ResendPorts, row: OutboxRow): Promise<string | undefined> {
  const { storage, clock, newId, room, storageRoom, feed } = ports;
  const { tables } = storage;
  const { tenantId, accountId, channel } = row;
  const sent = await storage.transact(
    async (tx): Promise<NewMessage | undefined> => {
      const now = clock.now();
      // The conversation is locked before the lane, as everywhere.
      const conversation =
        row.conversationId === null
          ? undefined
          : await lockConversation(tx, tables, tenantId, row.conversationId);
      const { outbox } = tables;
      const [taken] = await tx
        .update(outbox)
        .set({ deliveryStatus: "resent" })
        .where(
          and(
            eq(outbox.tenantId, tenantId),
            eq(outbox.id, row.id),
            eq(outbox.status, "sent"),
            eq(outbox.deliveryStatus, "failed"),
          ),
        )
        .returning({ id: outbox.id });
      if (taken === undefined) return undefined;
      await storageRoom.requireRoom(tx, tenantId);
      await room.take(tx, tables, { tenantId, accountId });
      const message: NewMessage = {
        id: newId(),
        tenantId,
        channel,
        accountId,
        // The user may have a new address.
        recipient: conversation?.recipient ?? conversation?.externalUser ?? row.recipient,
        conversationId: conversation?.id ?? null,
        source: row.source,
        payload: row.payload,
        invocationId: row.invocationId ?? undefined,
      };
      await noteInConversation(tx, tables, message, await takeUntold(tx, tables, row), now);
      await enqueueMessage(tx, tables, message, now);
      const author = (await authorsOf(tx, tables, tenantId, [row.id])).get(row.id);
      if (author !== undefined)
        await noteAuthor(tx, tables, { messageId: message.id, tenantId, author, at: now });
      await appendTrail(tx, tables, newId, [
        {
          messageId: row.id,
          tenantId,
          accountId,
          channel,
          direction: "outbound",
          event: "retried",
          relatedId: message.id,
          at: now,
        },
      ]);
      return message;
    },
    { isolation: "read committed" },
  );
  if (sent !== undefined) feed.publish(...changesOf(sent), outboundChange(row, "sent"));
  return sent?.id;
}

/** Lets the new message be told to the agent instead of the old one, unless the agent knows that. */
async function takeUntold(
  tx: Query,
  { conversationMessages: messages }: GatewayTables,
  { id, tenantId }: OutboxRow,
): Promise<TurnAuthor | null> {
  const isIt = and(eq(messages.tenantId, tenantId), eq(messages.id, id));
  const [old] = await tx.select({ untoldBy: messages.untoldBy }).from(messages).where(isIt);
  if (old === undefined || old.untoldBy === null) return null;
  await tx.update(messages).set({ untoldBy: null }).where(isIt).returning({ id: messages.id });
  return old.untoldBy;
}
