import type { ReactionRating } from "../../../channels/inbound/reaction-rating.ts";
import { inboxTables } from "../../../channels/inbox/schema.ts";
import { outboxTables, sendingAccountTables } from "../../../channels/outbox/schema.ts";
import type { Storage } from "../../../storage/storage.ts";
import type { Columns } from "../../../storage/tables/columns.ts";

/**
 * Progress of a message, noted before each step: its run has begun, or waits for an approval or a caller's result under this id. `notice`: no agent
 * answers it, and its sender is told why.
 */
export type MessagePlan = { begun: true } | { awaits: string } | { notice: "too_many" | "too_long" };

/** Messages of the daemon's channels, and the answers to them. Accounts are those of the settings; their ids are the provider's. */
export const channelTables = (columns: Columns) => {
  const { table, id, text, instant, integer, index, primaryKey } = columns;
  return {
    ...inboxTables<MessagePlan>(columns, "channel_inbound"),
    ...outboxTables(columns, "channel_outbox"),
    ...sendingAccountTables(columns, "channel_accounts"),
    /** Senders' current windows of the rate limit, with the messages in each. */
    channelSenders: table(
      "channel_senders",
      {
        account: id("account").notNull(),
        sender: id("sender").notNull(),
        startedAt: instant("started_at").notNull(),
        messages: integer("messages").notNull(),
      },
      (sender) => [
        primaryKey({ columns: [sender.account, sender.sender] }),
        index("channel_senders_age").on(sender.startedAt),
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
  };
};

export type ChannelTables = ReturnType<typeof channelTables>;
export type ChannelStorage = Storage<ChannelTables>;
export type EventRow = ChannelTables["inbound"]["$inferSelect"];

/** An account of the settings. */
export interface ChannelAccount {
  tenantId: string;
  channel: "phone_messenger";
  /** The provider's id. */
  id: string;
}
