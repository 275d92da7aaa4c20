import type { FeedbackSource } from "../../../contracts/daemon/runs/feedback.ts";
import type { Columns } from "../../../storage/tables/columns.ts";

/** Verdicts on runs, at most one of each source. Like invocations, they are kept forever. */
export const feedbackTables = ({ table, id, text, instant, primaryKey }: Columns) => ({
  runFeedback: table(
    "run_feedback",
    {
      tenantId: id("tenant_id").notNull(),
      invocationId: id("invocation_id").notNull(),
      source: text("source").$type<FeedbackSource>().notNull(),
      rating: text("rating").$type<"up" | "down">(),
      /** The other fields as JSON text, whose escapes make any text storable. */
      body: text("body").notNull(),
      at: instant("at").notNull(),
    },
    (given) => [primaryKey({ columns: [given.tenantId, given.invocationId, given.source] })],
  ),
});
