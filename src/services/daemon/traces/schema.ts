import type { RunSource } from "../../../contracts/daemon/runs/run-sources.ts";
import type { Columns } from "../../../storage/tables/columns.ts";

/** Finished traces, and the texts to search in them. `pruneTraces` deletes old ones. */
export const traceTables = ({
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
  traces: table(
    "traces",
    {
      tenant: id("tenant").notNull(),
      traceId: id("trace_id").notNull(),
      agent: id("agent").notNull(),
      sessionId: id("session_id").notNull(),
      status: text("status").$type<"OK" | "ERROR">().notNull(),
      startedAt: instant("started_at").notNull(),
      durationMs: real("duration_ms").notNull(),
      /** Size of `body` in bytes. */
      bytes: integer("bytes").notNull(),
      /** Whole trace as JSON text: written once, never searched, and read as a whole. */
      body: text("body").notNull(),
      /** Cost of the calls with a known price; 0 if no call had one. */
      costMicros: money("cost_micros").notNull().default(0),
      /** Model of the run, as its summary names it; "" without a model call. */
      model: text("model").notNull().default(""),
      /** Null: production. */
      source: text("source").$type<RunSource>(),
    },
    (trace) => [
      primaryKey({ columns: [trace.tenant, trace.traceId] }),
      index("traces_newest").on(trace.tenant, trace.startedAt, trace.traceId),
      index("traces_slowest").on(trace.tenant, trace.durationMs, trace.traceId),
      index("traces_dearest").on(trace.tenant, trace.costMicros, trace.traceId),
      index("traces_newest_of_agent").on(trace.tenant, trace.agent, trace.startedAt, trace.traceId),
      index("traces_slowest_of_agent").on(trace.tenant, trace.agent, trace.durationMs, trace.traceId),
      index("traces_dearest_of_agent").on(trace.tenant, trace.agent, trace.costMicros, trace.traceId),
      index("traces_newest_of_session").on(trace.tenant, trace.sessionId, trace.startedAt, trace.traceId),
      index("traces_newest_of_model").on(trace.tenant, trace.model, trace.startedAt, trace.traceId),
      // Contains all columns that pruning reads, so pruning never reads the bodies.
      index("traces_age").on(trace.startedAt, trace.bytes),
    ],
  ),
  /** Questions and answers as they are searched, apart from the bodies, so that a search reads little. */
  traceTexts: table(
    "trace_texts",
    {
      tenant: id("tenant").notNull(),
      traceId: id("trace_id").notNull(),
      /** Start of the run. */
      startedAt: instant("started_at").notNull(),
      /** Folded by `foldText`. */
      text: text("text").notNull(),
    },
    (searched) => [
      primaryKey({ columns: [searched.tenant, searched.traceId] }),
      index("trace_texts_age").on(searched.startedAt),
    ],
  ),
});

export type TraceTables = ReturnType<typeof traceTables>;
