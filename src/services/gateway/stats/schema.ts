import type { Columns } from "../../../storage/tables/columns.ts";
import type { TallyRule } from "../../../storage/tables/tallied-rows.ts";

/** Numbers of messages by UTC day: what statistics and the outbox's totals read. Triggers keep them. */
export const statsTables = ({ table, id, text, integer, money, index, primaryKey }: Columns) => ({
  outboxSums: table(
    "outbox_sums",
    {
      tenantId: id("tenant_id").notNull(),
      /** Days since 1970. */
      day: integer("day").notNull(),
      channel: text("channel").notNull(),
      source: text("source").notNull(),
      status: text("status").notNull(),
      /** Empty if the provider told nothing. */
      deliveryStatus: text("delivery_status").notNull(),
      /** Process of PostgreSQL that counted; 0: SQLite, and what was folded. */
      part: integer("part").notNull().default(0),
      messages: money("messages").notNull(),
    },
    (sum) => [
      primaryKey({
        columns: [sum.tenantId, sum.day, sum.channel, sum.source, sum.status, sum.deliveryStatus, sum.part],
      }),
      index("outbox_sums_day").on(sum.day),
    ],
  ),
  messageSums: table(
    "message_sums",
    {
      tenantId: id("tenant_id").notNull(),
      day: integer("day").notNull(),
      channel: text("channel").notNull(),
      direction: text("direction").notNull(),
      part: integer("part").notNull().default(0),
      messages: money("messages").notNull(),
    },
    (sum) => [
      primaryKey({ columns: [sum.tenantId, sum.day, sum.channel, sum.direction, sum.part] }),
      index("message_sums_day").on(sum.day),
    ],
  ),
});

export type StatsTables = ReturnType<typeof statsTables>;

export const outboxTally: TallyRule = {
  into: "outbox_sums",
  by: {
    tenant_id: "tenant_id",
    day: { dayOf: "created_at" },
    channel: "channel",
    source: "source",
    status: "status",
    delivery_status: "delivery_status",
  },
  sums: { messages: "rows" },
};

export const messageTally: TallyRule = {
  into: "message_sums",
  by: { tenant_id: "tenant_id", day: { dayOf: "at" }, channel: "channel", direction: "direction" },
  sums: { messages: "rows" },
};
