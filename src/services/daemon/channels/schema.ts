import type { Columns } from "../../../storage/columns.ts";

/** How far a message has come: each step is taken by one process alone, and none is taken twice. */
export type MessageState =
  /** Accepted; nothing was begun. */
  | "waiting"
  /** Its run has begun; nothing was said to the sender. */
  | "running"
  /** The answer is being sent: some of it may have arrived. */
  | "replying"
  /** Its run waits for somebody, and the sender has been told so; the answer follows. */
  | "paused"
  /** Over; only its id is kept, so that it is known when it is delivered again. */
  | "done";

/** Messages that channels delivered: the queue, and the memory of what was seen. */
export const channelTables = ({ table, id, text, instant, index, unique, primaryKey }: Columns) => ({
  channelMessages: table(
    "channel_messages",
    {
      tenant: id("tenant").notNull(),
      channel: id("channel").notNull(),
      /** The account at the provider that it was sent to. */
      account: id("account").notNull(),
      /** The provider's. */
      messageId: id("message_id").notNull(),
      /** Ours, rising. */
      id: id("id").notNull(),
      sender: text("sender").notNull(),
      senderKind: text("sender_kind").$type<"phone" | "bsuid">().notNull(),
      contactName: text("contact_name"),
      /** What is to be done: run the agent, or say why that is not done. */
      request: text("request").$type<"text" | "other_kind" | "too_long">().notNull(),
      text: text("text").notNull(),
      /** As the provider says. */
      sentAt: instant("sent_at").notNull(),
      receivedAt: instant("received_at").notNull(),
      /** What its run waits for. */
      awaits: id("awaits"),
      state: text("state").$type<MessageState>().notNull(),
    },
    (message) => [
      primaryKey({ columns: [message.tenant, message.channel, message.account, message.messageId] }),
      unique("channel_messages_id").on(message.id),
      index("channel_messages_open").on(
        message.tenant,
        message.channel,
        message.account,
        message.state,
        message.id,
      ),
      index("channel_messages_age").on(message.receivedAt),
    ],
  ),
});

export type ChannelTables = ReturnType<typeof channelTables>;
