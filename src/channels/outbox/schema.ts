import { sql } from "drizzle-orm";
import type { MessageSource } from "../../contracts/gateway/admin.ts";
import type { ChannelName } from "../../contracts/gateway/channels.ts";
import type { MessageContent, MessageStatus } from "../../contracts/gateway/messages.ts";
import type { Storage } from "../../storage/storage.ts";
import type { Columns } from "../../storage/tables/columns.ts";
import type { InboxTables } from "../inbox/schema.ts";

/** Outbound messages: the queue, and what became of each. `name` is the table's. */
export const outboxTables = (
  { table, id, text, flag, instant, json, integer, index, unique }: Columns,
  name: string,
) => ({
  outbox: table(
    name,
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
      /** Id of the run that wrote the message; null if a person or program did. */
      invocationId: text("invocation_id"),
      /** The caller's key, with the digest of what it was first used for. */
      idempotencyKey: text("idempotency_key"),
      idempotencyDigest: text("idempotency_digest"),
    },
    (row) => [
      index(`${name}_ready`).on(row.dueAt, row.id).where(sql`${row.isReady}`),
      index(`${name}_leased`).on(row.leaseUntil).where(sql`${row.status} = 'sending'`),
      index(`${name}_open`).on(row.tenantId, row.accountId).where(sql`${row.lane} is not null`),
      index(`${name}_expiry`).on(row.expiresAt).where(sql`${row.lane} is not null`),
      index(`${name}_lane`).on(row.lane, row.id).where(sql`${row.lane} is not null`),
      index(`${name}_waiting`)
        .on(row.waitingSince)
        .where(sql`${row.lane} is not null and ${row.waitingSince} is not null`),
      index(`${name}_tenant`).on(row.tenantId, row.id),
      index(`${name}_channel_message`)
        .on(row.channelMessageId)
        .where(sql`${row.channelMessageId} is not null`),
      index(`${name}_conversation`).on(row.conversationId).where(sql`${row.conversationId} is not null`),
      index(`${name}_recipient`).on(row.recipient, row.id),
      index(`${name}_age`).on(row.createdAt),
      // Lists of what is not sent read few rows of many.
      index(`${name}_unsent`).on(row.status, row.id).where(sql`${row.status} <> 'sent'`),
      index(`${name}_undelivered`).on(row.tenantId, row.id).where(sql`${row.deliveryStatus} = 'failed'`),
      unique(`${name}_idempotency`).on(row.tenantId, row.idempotencyKey),
    ],
  ),
});

/** Accounts that messages are sent from: what the outbox reads and changes of them. `name` is the table's. */
export const sendingAccountTables = ({ table, id, text, instant }: Columns, name: string) => ({
  accounts: table(name, {
    id: id("id").primaryKey(),
    tenantId: id("tenant_id").notNull(),
    /** The provider's error that paused the account; null while it works. */
    pausedReason: text("paused_reason"),
    /** No message is sent before this time, because the provider asked to wait. */
    quietUntil: instant("quiet_until"),
  }),
});

export type OutboxTables = InboxTables &
  ReturnType<typeof outboxTables> &
  ReturnType<typeof sendingAccountTables>;
export type OutboxStorage = Storage<OutboxTables>;
export type OutboxRow = OutboxTables["outbox"]["$inferSelect"];
/** An account's row; a service may keep more of it. */
export type OutboxAccountRow = OutboxTables["accounts"]["$inferSelect"];
