import type { ChannelName } from "../../../contracts/gateway/channels.ts";
import type { Columns } from "../../../storage/tables/columns.ts";

/** What is measured of a conversation, once for each time that its user begins it. */
export const measures = [
  "begun",
  "first_response",
  "resolution",
  "csat_asked",
  "csat",
  "transcription",
] as const;
export type Measure = (typeof measures)[number];

/** What reports count: messages by direction, measures, and scores one by one. */
export type ReportTally = Exclude<Measure, "csat"> | `csat_${number}` | "inbound" | "outbound";

/** What reports are made of. None of it names a user or a conversation. */
export const reportTables = ({ table, id, text, instant, integer, index, primaryKey }: Columns) => ({
  measured: table(
    "measured",
    {
      id: id("id").primaryKey(),
      tenantId: id("tenant_id").notNull(),
      channel: text("channel").$type<ChannelName>().notNull(),
      measure: id("measure").$type<Measure>().notNull(),
      /** Milliseconds, a score, or 0. */
      value: integer("value").notNull(),
      /** Person who answered or resolved; empty: nobody that is known. */
      person: id("person").notNull(),
      /** Agent that answered, or served the conversation; empty: none. */
      agent: id("agent").notNull(),
      at: instant("at").notNull(),
    },
    (row) => [
      index("measured_value").on(row.tenantId, row.measure, row.value, row.at),
      index("measured_age").on(row.at),
    ],
  ),
  /** Sums over a quarter of an hour: days of every time zone consist of whole ones. */
  tallies: table(
    "tallies",
    {
      tenantId: id("tenant_id").notNull(),
      tally: id("tally").$type<ReportTally>().notNull(),
      person: id("person").notNull(),
      agent: id("agent").notNull(),
      channel: id("channel").$type<ChannelName>().notNull(),
      quarter: instant("quarter").notNull(),
      count: integer("count").notNull(),
      sum: integer("sum").notNull(),
    },
    (row) => [
      primaryKey({
        columns: [row.tenantId, row.tally, row.person, row.agent, row.channel, row.quarter],
      }),
      index("tallies_days").on(row.tenantId, row.quarter, row.tally, row.channel, row.count, row.sum),
      index("tallies_age").on(row.quarter),
    ],
  ),
  /** One row: up to when messages and measures are in the tallies. */
  talliedUntil: table("tallied_until", { id: id("id").primaryKey(), until: instant("until").notNull() }),
});

export type ReportTables = ReturnType<typeof reportTables>;
