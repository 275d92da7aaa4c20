import { sql } from "drizzle-orm";
import type { MessageSource } from "../../../contracts/gateway/admin.ts";
import type { ChannelName } from "../../../contracts/gateway/channels.ts";
import type { MessageContent, MessageStatus } from "../../../contracts/gateway/messages.ts";
import type { Columns } from "../../../storage/tables/columns.ts";

/** Outbound messages: the queue, and what became of each. */
export const outboxTables = ({ table, id, text, flag, instant, json, integer, index, unique }: Columns) => ({
  outbox: table(
    "outbox",
    {
      /** The message's id, ascending. */
      id: id("id").primaryKey(),
      tenantId: id("tenant_id").notNull(),
      channel: text("channel").$type<ChannelName>().notNull(),
      accountId: id("account_id").notNull(),
      recipient: text("recipient").notNull(),
      conversationId: id("conversation_id"),
      source: text("source").$type<MessageSource>().notNull(),
      payload: json<MessageContent>("payload").notNull(),
      /** Account and recipient while the message is open, null after; messages of one lane are sent in order. */
      lane: text("lane"),
      /** True while it is pending and no earlier message of its lane is open: only such rows are looked at for claims. */
      isReady: flag("is_ready").notNull().default(false),
      status: text("status").$type<MessageStatus>().notNull(),
      attempts: integer("attempts").notNull(),
      unknowns: integer("unknowns").notNull(),
      isUnsettled: flag("is_unsettled").notNull(),
      lastError: text("last_error"),
      dueAt: instant("due_at").notNull(),
      waitingSince: instant("waiting_since"),
      expiresAt: instant("expires_at").notNull(),
      /** Process that is sending it. */
      owner: id("owner"),
      /** Try that is under way; every settlement names it. */
      attemptId: id("attempt_id"),
      leaseUntil: instant("lease_until"),
      createdAt: instant("created_at").notNull(),
      sentAt: instant("sent_at"),
      /** Calls of the message that the provider accepted. */
      partsDone: integer("parts_done").notNull(),
      /** The provider's id of the message. */
      channelMessageId: text("channel_message_id"),
      deliveryStatus: text("delivery_status"),
      /** The platform's id of the run that wrote the message; null if a person or program did. */
      invocationId: text("invocation_id"),
      /** The caller's key, with the digest of what it was first used for. */
      idempotencyKey: text("idempotency_key"),
      idempotencyDigest: text("idempotency_digest"),
    },
    (row) => [
      index("outbox_ready").on(row.dueAt, row.id).where(sql`${row.isReady}`),
      index("outbox_leased").on(row.leaseUntil).where(sql`${row.status} = 'sending'`),
      index("outbox_open").on(row.tenantId, row.accountId).where(sql`${row.lane} is not null`),
      index("outbox_expiry").on(row.expiresAt).where(sql`${row.lane} is not null`),
      index("outbox_lane").on(row.lane, row.id).where(sql`${row.lane} is not null`),
      index("outbox_waiting")
        .on(row.waitingSince)
        .where(sql`${row.lane} is not null and ${row.waitingSince} is not null`),
      index("outbox_tenant").on(row.tenantId, row.id),
      index("outbox_channel_message")
        .on(row.channelMessageId)
        .where(sql`${row.channelMessageId} is not null`),
      index("outbox_recipient").on(row.recipient, row.id),
      index("outbox_age").on(row.createdAt),
      unique("outbox_idempotency").on(row.tenantId, row.idempotencyKey),
    ],
  ),
});

export type OutboxTables = ReturnType<typeof outboxTables>;
