import type { Columns } from "../../../../storage/tables/columns.ts";

/** People's verdicts on runs. They are deleted with the traces of their runs. */
export const feedbackTables = ({ table, id, text, instant, index, primaryKey }: Columns) => ({
  feedback: table(
    "feedback",
    {
      tenant: id("tenant").notNull(),
      traceId: id("trace_id").notNull(),
      rating: text("rating").$type<"up" | "down">(),
      /** Label and note as JSON text, whose escapes make any text storable. */
      body: text("body").notNull(),
      at: instant("at").notNull(),
      /** Start of the run. */
      startedAt: instant("started_at").notNull(),
    },
    (given) => [
      primaryKey({ columns: [given.tenant, given.traceId] }),
      index("feedback_age").on(given.startedAt),
    ],
  ),
  /** Verdicts of users, by reactions in messaging channels. */
  channelFeedback: table(
    "channel_feedback",
    {
      tenant: id("tenant").notNull(),
      traceId: id("trace_id").notNull(),
      rating: text("rating").$type<"up" | "down">().notNull(),
      channel: text("channel").notNull(),
      emoji: text("emoji").notNull(),
      at: instant("at").notNull(),
      /** Start of the run. */
      startedAt: instant("started_at").notNull(),
    },
    (given) => [
      primaryKey({ columns: [given.tenant, given.traceId] }),
      index("channel_feedback_age").on(given.startedAt),
    ],
  ),
});

export type FeedbackTables = ReturnType<typeof feedbackTables>;
