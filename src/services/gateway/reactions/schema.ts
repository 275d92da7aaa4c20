import type { ReactionRating } from "../../../channels/inbound/reaction-rating.ts";
import type { Columns } from "../../../storage/tables/columns.ts";

/** Users' last reactions to messages of the outbox. A removed one stays as a row, so that an older reaction that arrives late is known. */
export const reactionTables = ({ table, id, text, instant, index, primaryKey }: Columns) => ({
  reactions: table(
    "reactions",
    {
      tenantId: id("tenant_id").notNull(),
      accountId: id("account_id").notNull(),
      /** Id of the message in the outbox. */
      messageId: id("message_id").notNull(),
      /** The provider's id of the message, or of the part of it that the reaction is on. */
      channelMessageId: text("channel_message_id").notNull(),
      /** Address of the person who reacted. */
      address: text("address").notNull(),
      /** Null if the reaction was removed. */
      emoji: text("emoji"),
      /** Rating that the emoji expresses; null if it expresses none. */
      rating: text("rating").$type<ReactionRating>(),
      /** The platform's id of the run that wrote the message; null if a person or program did. */
      invocationId: text("invocation_id"),
      /** The provider's time, or that of its arrival. */
      at: instant("at").notNull(),
    },
    (row) => [
      primaryKey({ columns: [row.tenantId, row.messageId, row.channelMessageId, row.address] }),
      index("reactions_run").on(row.tenantId, row.invocationId),
      index("reactions_age").on(row.at),
    ],
  ),
});
