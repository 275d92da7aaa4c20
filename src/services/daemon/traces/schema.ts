import type { Columns } from "../../../storage/columns.ts";

/** Finished traces, kept for a while; see `prune`. */
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
      /** Size of `body`. */
      bytes: integer("bytes").notNull(),
      /** The whole trace as JSON text: written once, never searched, read as one piece. */
      body: text("body").notNull(),
    },
    (trace) => [
      primaryKey({ columns: [trace.tenant, trace.traceId] }),
      index("traces_newest").on(trace.tenant, trace.startedAt, trace.traceId),
      index("traces_newest_of_agent").on(trace.tenant, trace.agent, trace.startedAt, trace.traceId),
      // Holds all that pruning reads, so that it never touches the bodies.
      index("traces_age").on(trace.startedAt, trace.bytes),
    ],
  ),
});

export type TraceTables = ReturnType<typeof traceTables>;
