import type { CloudEvalRun, CloudEvalRunDetail } from "../../../contracts/cloud/evals.ts";
import { presentHostedRun } from "../../../evals/hosted/read-runs.ts";
import type { BriefRun } from "../../../evals/hosted/tables.ts";

export const presentEvalRun = (row: BriefRun): CloudEvalRun => ({
  ...presentHostedRun(row),
  tokens_used: row.spent,
  budget_tokens: row.budget,
});

export const presentEvalRunDetail = (row: BriefRun): CloudEvalRunDetail => ({
  ...presentEvalRun(row),
  summary: row.summary,
});
