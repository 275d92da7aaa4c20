import type { PlatformEvalRun, PlatformEvalRunDetail } from "../../../contracts/platform/evals.ts";
import { presentHostedRun } from "../../../evals/hosted/read-runs.ts";
import type { BriefRun } from "../../../evals/hosted/tables.ts";
import type { EvalSubject } from "./schema.ts";

/** Runs of the platform's table have a tenant's agent as their subject. */
export function presentEvalRun(row: BriefRun): PlatformEvalRun {
  return {
    ...presentHostedRun(row),
    agent_version: (row.subject as EvalSubject).version,
    credits_charged_micros: row.spent,
    budget_credits_micros: row.budget,
  };
}

export const presentEvalRunDetail = (row: BriefRun): PlatformEvalRunDetail => ({
  ...presentEvalRun(row),
  summary: row.summary,
});
