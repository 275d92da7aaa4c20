import type { Columns } from "../../../storage/tables/columns.ts";

/** Finished traces. `pruneTraces` deletes old ones. */
export const traceTables = ({ table, id, text, integer, real, instant, index, primaryKey }: Columns) => ({
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
    },
    (trace) => [
      primaryKey({ columns: [trace.tenant, trace.traceId] }),
      index("traces_newest").on(trace.tenant, trace.startedAt, trace.traceId),
      index("traces_newest_of_agent").on(trace.tenant, trace.agent, trace.startedAt, trace.traceId),
      // Contains all columns that pruning reads, so pruning never reads the bodies.
      index("traces_age").on(trace.startedAt, trace.bytes),
    ],
  ),
});

export type TraceTables = ReturnType<typeof traceTables>;
