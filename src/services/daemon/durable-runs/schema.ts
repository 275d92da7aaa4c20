import type { Columns } from "../../../storage/tables/columns.ts";

/** Durable runs of the daemon's own callers, and finished steps of all durable runs until the end of the runs is recorded. */
export const durableRunTables = ({
  table,
  id,
  text,
  integer,
  instant,
  index,
  primaryKey,
  unique,
}: Columns) => ({
  /** A run without a key has a row from the first stored step to its end; one with a key, as long as its answer can be replayed. */
  callerRuns: table(
    "caller_runs",
    {
      tenant: id("tenant").notNull(),
      id: id("id").notNull(),
      /** Hash of the caller's key. */
      key: text("key"),
      /** Hash of what the caller asked; another request with the same key is refused. */
      requestHash: text("request_hash").notNull(),
      agent: id("agent").notNull(),
      sessionId: text("session_id").notNull(),
      status: text("status").$type<"in_progress" | "ended">().notNull(),
      /** Sealed: the run as data, as JSON. */
      request: text("request").notNull(),
      /** Sealed: the answer or the error, as JSON; null until the run has ended. */
      answer: text("answer"),
      createdAt: instant("created_at").notNull(),
      /** Process that performs it; null if that one gave it up. */
      owner: text("owner"),
    },
    (run) => [
      primaryKey({ columns: [run.tenant, run.id] }),
      unique("caller_runs_key").on(run.tenant, run.key),
      index("caller_runs_status").on(run.status, run.agent),
      index("caller_runs_agent").on(run.tenant, run.agent, run.sessionId),
      index("caller_runs_age").on(run.createdAt),
    ],
  ),
  runSteps: table(
    "run_steps",
    {
      tenant: id("tenant").notNull(),
      runId: id("run_id").notNull(),
      /**
       * Position among the run's rows. Two processes can't write the same one, so a process that continues a run ends the writing of the one
       * before.
       */
      number: integer("number").notNull(),
      /** Fingerprint of the agents and the program that made the steps. */
      fingerprint: text("fingerprint").notNull(),
      /** Sealed: the steps, as JSON; empty in the row by which a process takes the run over. */
      steps: text("steps").notNull(),
      writtenAt: instant("written_at").notNull(),
    },
    (row) => [
      primaryKey({ columns: [row.tenant, row.runId, row.number] }),
      index("run_steps_age").on(row.writtenAt),
    ],
  ),
});

export type DurableRunTables = ReturnType<typeof durableRunTables>;
export type CallerRunRow = DurableRunTables["callerRuns"]["$inferSelect"];
export type RunStepsRow = DurableRunTables["runSteps"]["$inferSelect"];
