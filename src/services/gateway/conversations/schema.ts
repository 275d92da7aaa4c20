import { sql } from "drizzle-orm";
import type { ConversationMedia } from "../../../contracts/gateway/admin.ts";
import type { ChannelName } from "../../../contracts/gateway/channels.ts";
import type { Columns } from "../../../storage/tables/columns.ts";

/** Who wrote a message that no run of the agent wrote or answered. */
export type TurnAuthor = "user" | "person" | "program" | "template" | "device";

/** Conversations between accounts and users, with their messages. */
export const conversationTables = ({ table, id, text, instant, json, index, unique }: Columns) => ({
  conversations: table(
    "conversations",
    {
      id: id("id").primaryKey(),
      tenantId: id("tenant_id").notNull(),
      channel: text("channel").$type<ChannelName>().notNull(),
      accountId: id("account_id").notNull(),
      /** The user's address on the channel. */
      externalUser: text("external_user").notNull(),
      /** Person or group whom the conversation is with; null only until the conversation is next looked for. */
      contactId: id("contact_id"),
      sessionId: text("session_id").notNull(),
      /** Address that answers go to, if it is not `external_user`: a group's conversation is with one of its members. */
      recipient: text("recipient"),
      /** Agent that serves, or served last. */
      agentName: text("agent_name"),
      /** Agent that an answer handed the conversation to; null: the binding's entry agent serves. */
      handoffAgent: text("handoff_agent"),
      /** Time of the answer that opened the session; null: the next message is the first of a new conversation. */
      openedAt: instant("opened_at"),
      /** Since when the user blocks the account; null: they don't. */
      unreachableAt: instant("unreachable_at"),
      contactName: text("contact_name"),
      mode: text("mode").$type<"bot" | "human">().notNull(),
      lastMessageAt: instant("last_message_at").notNull(),
      /** Time of the newest message that an operator has read; null: none. */
      seenAt: instant("seen_at"),
      createdAt: instant("created_at").notNull(),
      /** Since when its user waits for the work to be done; null: it was resolved, or they never wrote. */
      begunAt: instant("begun_at"),
      /** Time of the first answer since then; null: none yet. */
      answeredAt: instant("answered_at"),
      /** Since when an answer to the question after a resolution is awaited; null: none is. */
      csatAskedAt: instant("csat_asked_at"),
    },
    (row) => [
      unique("conversations_contact").on(row.accountId, row.contactId),
      unique("conversations_user").on(row.accountId, row.externalUser),
      index("conversations_address").on(row.externalUser),
      index("conversations_recent").on(row.lastMessageAt, row.id),
      index("conversations_tenant").on(row.tenantId, row.lastMessageAt, row.id),
    ],
  ),
  conversationMessages: table(
    "conversation_messages",
    {
      /** For an outbound message, its id in the outbox. */
      id: id("id").primaryKey(),
      tenantId: id("tenant_id").notNull(),
      conversationId: id("conversation_id").notNull(),
      channel: text("channel").$type<ChannelName>().notNull(),
      direction: text("direction").$type<"inbound" | "outbound">().notNull(),
      kind: text("kind").notNull(),
      text: text("text").notNull(),
      /** Text before the first edit; null: it was not edited. */
      firstText: text("first_text"),
      /** Who wrote what the agent doesn't know yet; null: it knows the message. */
      untoldBy: text("untold_by").$type<TurnAuthor>(),
      media: json<ConversationMedia[]>("media").notNull(),
      channelMessageId: text("channel_message_id"),
      /** The provider's id of the message that it replies to; null: none. */
      replyToId: text("reply_to_id"),
      at: instant("at").notNull(),
    },
    (row) => [
      index("conversation_messages_order").on(row.conversationId, row.at, row.id),
      index("conversation_messages_untold")
        .on(row.conversationId, row.at, row.id)
        .where(sql`${row.untoldBy} is not null`),
      index("conversation_messages_age").on(row.at),
    ],
  ),
});

export type ConversationTables = ReturnType<typeof conversationTables>;
