import type { Columns } from "../../../storage/tables/columns.ts";

/** Finished runs of an agent while one of its versions is a canary. They are deleted when the canary ends. */
export const canaryTables = ({ table, id, real, flag, instant, index, primaryKey }: Columns) => ({
  canaryRuns: table(
    "canary_runs",
    {
      tenant: id("tenant").notNull(),
      traceId: id("trace_id").notNull(),
      agent: id("agent").notNull(),
      /** Version that is the canary. */
      canary: id("canary").notNull(),
      /** True if the canary answered, false for the version in service. */
      isCanary: flag("is_canary").notNull(),
      failed: flag("failed").notNull(),
      /** Null if the price of a call is unknown. */
      costUsd: real("cost_usd"),
      at: instant("at").notNull(),
    },
    (run) => [
      primaryKey({ columns: [run.tenant, run.traceId] }),
      index("canary_runs_agent").on(run.tenant, run.agent, run.canary),
    ],
  ),
});

export type CanaryTables = ReturnType<typeof canaryTables>;
