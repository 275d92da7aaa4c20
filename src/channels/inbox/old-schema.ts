import type { Columns } from "../../storage/tables/columns.ts";
import type { ReactionRating } from "../inbound/reaction-rating.ts";

/** Progress of a message. One process takes each step, and no step is taken twice. */
export type MessageState =
  /** Accepted; no work has begun. */
  | "waiting"
  /** The run has begun; the sender has no answer yet. */
  | "running"
  /** The answer is being sent, and part of it may have arrived. */
  | "replying"
  /** The run waits for a person or a caller. The sender knows, and the answer follows. */
  | "paused"
  /** Closed. Only the id is kept, so a redelivery is recognized. */
  | "done";

/** Delivered messages: both the queue and the ids already seen. */
export const channelTables = ({ table, id, text, instant, index, unique, primaryKey }: Columns) => ({
  channelMessages: table(
    "channel_messages",
    {
      tenant: id("tenant").notNull(),
      channel: id("channel").notNull(),
      /** Account at the provider that the message was sent to. */
      account: id("account").notNull(),
      /** The provider's id. */
      messageId: id("message_id").notNull(),
      /** Our own id, ascending. */
      id: id("id").notNull(),
      sender: text("sender").notNull(),
      senderKind: text("sender_kind").$type<"phone" | "bsuid">().notNull(),
      contactName: text("contact_name"),
      /** Requested task: run the agent, or explain why it does not run. */
      request: text("request").$type<"text" | "other_kind" | "too_long">().notNull(),
      text: text("text").notNull(),
      /** Time of sending according to the provider. */
      sentAt: instant("sent_at").notNull(),
      receivedAt: instant("received_at").notNull(),
      /** Id of the approval or call that the run waits for. */
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
  /** Messages by which answers were sent, with the user's last reaction to each. */
  channelAnswers: table(
    "channel_answers",
    {
      tenant: id("tenant").notNull(),
      channel: id("channel").notNull(),
      account: id("account").notNull(),
      /** The provider's id of the sent message. */
      messageId: id("message_id").notNull(),
      /** Trace of the run that wrote the answer. */
      traceId: id("trace_id").notNull(),
      sentAt: instant("sent_at").notNull(),
      /** Null: none, or removed. */
      emoji: text("emoji"),
      /** Rating that the emoji expresses; null if it expresses none. */
      rating: text("rating").$type<ReactionRating>(),
      /** Time of the last reaction or removal; null: none. */
      reactedAt: instant("reacted_at"),
    },
    (answer) => [
      primaryKey({ columns: [answer.tenant, answer.channel, answer.account, answer.messageId] }),
      index("channel_answers_run").on(answer.tenant, answer.traceId),
      index("channel_answers_age").on(answer.sentAt),
    ],
  ),
});

export type ChannelTables = ReturnType<typeof channelTables>;
