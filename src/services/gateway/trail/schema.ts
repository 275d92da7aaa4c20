import type { ChannelName } from "../../../contracts/gateway/channels.ts";
import type { TrailEventName } from "../../../contracts/gateway/trail.ts";
import type { Columns } from "../../../storage/tables/columns.ts";

/** The ledger of messages: events that the rows of inbox and outbox don't keep, each appended once and never changed. */
export const trailTables = ({ table, id, text, instant, json, index }: Columns) => ({
  trail: table(
    "trail",
    {
      id: id("id").primaryKey(),
      /** The message's id: that of its row in the inbox or the outbox. */
      messageId: id("message_id").notNull(),
      /** Null for a delivery to an unknown account. */
      tenantId: id("tenant_id"),
      accountId: id("account_id"),
      channel: text("channel").$type<ChannelName>().notNull(),
      direction: text("direction").$type<"inbound" | "outbound">().notNull(),
      event: text("event").$type<TrailEventName>().notNull(),
      /** The user's address. */
      address: text("address"),
      /** The provider's id that the event names. */
      channelMessageId: text("channel_message_id"),
      /** Another message: the one that this is a duplicate of or that it answers, or its answer. */
      relatedId: id("related_id"),
      details: json<Readonly<Record<string, string | number | boolean | null>>>("details").notNull(),
      at: instant("at").notNull(),
    },
    (row) => [
      index("trail_message").on(row.messageId, row.id),
      index("trail_channel_message").on(row.channelMessageId),
      index("trail_address").on(row.address, row.id),
      index("trail_related").on(row.relatedId),
      index("trail_age").on(row.at),
    ],
  ),
});

export type TrailTables = ReturnType<typeof trailTables>;
