import { sql } from "drizzle-orm";
import type { EvalRunState, EvalSummary } from "../../contracts/evals/eval-run.ts";
import type { Storage } from "../../storage/storage.ts";
import type { Columns } from "../../storage/tables/columns.ts";

/** Names of the columns in which the services differ. */
export interface EvalColumns {
  /** The tenant or org. */
  owner: string;
  /** What runs cost: credits or US dollars in micros, or tokens. */
  spent: string;
  budget: string;
}

/** Tables of a service's evals, their runs and the results of these. */
export const hostedEvalTables = <Subject extends object>(columns: Columns, names: EvalColumns) => {
  const { table, id, text, integer, instant, json, primaryKey } = columns;
  return {
    evals: table(
      "evals",
      {
        ownerId: id(names.owner).notNull(),
        name: text("name").notNull(),
        /** Agent that is asked unless a run names another. */
        agentName: text("agent_name").notNull(),
        document: json<Record<string, unknown>>("document").notNull(),
        /** SHA-256 of the cases, checks and stubs, by which the release gate knows the results that count. */
        content: text("content").notNull(),
        cases: integer("cases").notNull(),
        /** `user:` or `key:`, with the id or the key's hash. */
        author: text("author").notNull(),
        updatedAt: instant("updated_at").notNull(),
      },
      (row) => [primaryKey({ columns: [row.ownerId, row.name] })],
    ),
    ...evalRunTables<Subject>(columns, names),
  };
};

/**
 * Tables of runs of evals and their results. `Subject` is what the service must know about a run besides the columns.
 */
export const evalRunTables = <Subject extends object>(
  { table, id, text, integer, money, flag, instant, json, index, primaryKey }: Columns,
  names: EvalColumns,
) => ({
  evalRuns: table(
    "eval_runs",
    {
      ownerId: id(names.owner).notNull(),
      id: id("id").notNull(),
      evalName: text("eval_name").notNull(),
      /** Empty if the run asked for something else than the eval, so that no release gate counts it. */
      content: text("content").notNull(),
      /** Null once the run has ended. */
      document: json<Record<string, unknown>>("document"),
      agentName: text("agent_name").notNull(),
      subject: json<Subject>("subject").notNull(),
      /** Manifest that is asked; null once the run has ended. */
      spec: json<Record<string, unknown>>("spec"),
      checksum: text("checksum").notNull(),
      status: text("status").$type<EvalRunState>().notNull(),
      /** Process that performs the run. */
      process: text("process"),
      concurrency: integer("concurrency").notNull(),
      budget: money(names.budget),
      cases: integer("cases").notNull(),
      repeat: integer("repeat").notNull(),
      finished: integer("finished").notNull(),
      passed: integer("passed").notNull(),
      spent: money(names.spent).notNull(),
      /** Bytes of its results. */
      bytes: money("bytes").notNull().default(0),
      /** True if an answer was a rehearsal's. */
      simulated: flag("simulated").notNull(),
      summary: json<EvalSummary>("summary"),
      errorCode: text("error_code"),
      message: text("message"),
      author: text("author").notNull(),
      createdAt: instant("created_at").notNull(),
      endedAt: instant("ended_at"),
    },
    (run) => [
      primaryKey({ columns: [run.ownerId, run.id] }),
      index("eval_runs_version").on(run.ownerId, run.agentName, run.evalName, run.checksum, run.id),
      index("eval_runs_open").on(run.id).where(sql`${run.endedAt} is null`),
    ],
  ),
  evalResults: table(
    "eval_results",
    {
      ownerId: id(names.owner).notNull(),
      runId: id("run_id").notNull(),
      /** Place in the plan of the run, from 1. */
      number: integer("number").notNull(),
      caseId: text("case_id").notNull(),
      passed: flag("passed").notNull(),
      /** Reason of a run that failed unexpectedly; it starts with the error's code. */
      failure: text("failure"),
      /** The whole result, as sealed JSON. */
      result: text("result").notNull(),
    },
    (row) => [primaryKey({ columns: [row.ownerId, row.runId, row.number] })],
  ),
});

export type EvalRunTables<Subject extends object = object> = ReturnType<typeof evalRunTables<Subject>>;
export type EvalRunStorage<Subject extends object = object> = Storage<EvalRunTables<Subject>>;
export type HostedEvalTables<Subject extends object = object> = ReturnType<typeof hostedEvalTables<Subject>>;
export type HostedEvalStorage<Subject extends object = object> = Storage<HostedEvalTables<Subject>>;
export type EvalRow = HostedEvalTables["evals"]["$inferSelect"];
export type EvalRunRow<Subject extends object = object> = EvalRunTables<Subject>["evalRuns"]["$inferSelect"];
/** A run without its document and its spec, which may have 1 MiB each. */
export type BriefRun<Subject extends object = object> = Omit<EvalRunRow<Subject>, "document" | "spec">;
