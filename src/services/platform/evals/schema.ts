import { sql } from "drizzle-orm";
import type { EvalSummary } from "../../../contracts/evals/eval-run.ts";
import type { PlatformEvalRunStatus } from "../../../contracts/platform/evals.ts";
import type { Columns } from "../../../storage/tables/columns.ts";

/** Tenants' evals, their runs and the results of these. */
export const evalTables = ({
  table,
  id,
  text,
  integer,
  money,
  flag,
  instant,
  json,
  index,
  primaryKey,
}: Columns) => ({
  evals: table(
    "evals",
    {
      tenantId: id("tenant_id").notNull(),
      name: text("name").notNull(),
      /** Agent that is asked unless a run names another. */
      agentName: text("agent_name").notNull(),
      document: json<Record<string, unknown>>("document").notNull(),
      /** SHA-256 of the cases, checks and stubs, by which the release gate knows the results that count. */
      content: text("content").notNull(),
      cases: integer("cases").notNull(),
      /** `user:` and the id, or `key:` and the hash. */
      author: text("author").notNull(),
      updatedAt: instant("updated_at").notNull(),
    },
    (row) => [primaryKey({ columns: [row.tenantId, row.name] })],
  ),
  evalRuns: table(
    "eval_runs",
    {
      tenantId: id("tenant_id").notNull(),
      id: id("id").notNull(),
      evalName: text("eval_name").notNull(),
      content: text("content").notNull(),
      /** Null once the run has ended. */
      document: json<Record<string, unknown>>("document"),
      /** Null if there was no agent with the name. */
      agentId: id("agent_id"),
      agentName: text("agent_name").notNull(),
      /** Null for a spec that was sent with the run. */
      agentVersion: integer("agent_version"),
      subscriptionId: id("subscription_id"),
      /** Spec that is asked; null once the run has ended. */
      spec: json<Record<string, unknown>>("spec"),
      checksum: text("checksum").notNull(),
      status: text("status").$type<PlatformEvalRunStatus>().notNull(),
      /** Process that performs the run. */
      owner: text("owner"),
      concurrency: integer("concurrency").notNull(),
      budgetMicros: money("budget_micros"),
      cases: integer("cases").notNull(),
      repeat: integer("repeat").notNull(),
      finished: integer("finished").notNull(),
      passed: integer("passed").notNull(),
      chargedMicros: money("charged_micros").notNull(),
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
      primaryKey({ columns: [run.tenantId, run.id] }),
      index("eval_runs_version").on(run.tenantId, run.agentName, run.evalName, run.checksum, run.id),
      index("eval_runs_open").on(run.id).where(sql`${run.endedAt} is null`),
    ],
  ),
  evalResults: table(
    "eval_results",
    {
      tenantId: id("tenant_id").notNull(),
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
    (row) => [primaryKey({ columns: [row.tenantId, row.runId, row.number] })],
  ),
});

export type EvalTables = ReturnType<typeof evalTables>;
export type EvalRow = EvalTables["evals"]["$inferSelect"];
export type EvalRunRow = EvalTables["evalRuns"]["$inferSelect"];
