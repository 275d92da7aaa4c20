import type { RunSource } from "../../../contracts/daemon/runs/run-sources.ts";
import type { Columns } from "../../../storage/tables/columns.ts";

/** One small row for each finished run. They outlive the traces, so that statistics reach further back; then the start of what is kept. */
export const runFactTables = ({
  table,
  id,
  text,
  integer,
  real,
  money,
  instant,
  index,
  primaryKey,
}: Columns) => ({
  runFacts: table(
    "run_facts",
    {
      tenant: id("tenant").notNull(),
      traceId: id("trace_id").notNull(),
      startedAt: instant("started_at").notNull(),
      agent: id("agent").notNull(),
      /** Model of the run; "" without a model call. */
      model: text("model").notNull(),
      /** `PAUSED`: the run waited for a person and continued as another run. */
      outcome: text("outcome").$type<"OK" | "ERROR" | "PAUSED">().notNull(),
      durationMs: real("duration_ms").notNull(),
      inputTokens: integer("input_tokens").notNull(),
      outputTokens: integer("output_tokens").notNull(),
      /** Cost of the calls with a known price. */
      costMicros: money("cost_micros").notNull(),
      source: text("source").$type<RunSource>().notNull().default("production"),
      /** Calls without a known price. Runs of earlier releases have 0. */
      unpricedCalls: integer("unpriced_calls").notNull().default(0),
    },
    (run) => [
      primaryKey({ columns: [run.tenant, run.traceId] }),
      index("run_facts_newest").on(run.tenant, run.startedAt),
      index("run_facts_age").on(run.startedAt),
    ],
  ),
  /** One row: until when runs may be missing because they were deleted. */
  runFactEdge: table("run_fact_edge", { id: id("id").primaryKey(), at: instant("at").notNull() }),
});

export type RunFactTables = ReturnType<typeof runFactTables>;
