import type { Columns } from "../../../storage/tables/columns.ts";

/** Finished steps of durable runs, until their control planes have recorded the end of the runs. */
export const durableRunTables = ({ table, id, text, integer, instant, index, primaryKey }: Columns) => ({
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
export type RunStepsRow = DurableRunTables["runSteps"]["$inferSelect"];
