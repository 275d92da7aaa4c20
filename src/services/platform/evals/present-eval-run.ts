import type { PlatformEvalRun, PlatformEvalRunDetail } from "../../../contracts/platform/evals.ts";
import type { EvalRunRow } from "./schema.ts";

export type BriefRow = Omit<EvalRunRow, "document" | "spec">;

export function presentEvalRun(row: BriefRow): PlatformEvalRun {
  const [target] = row.summary?.targets ?? [];
  return {
    id: row.id,
    eval: row.evalName,
    content: row.content,
    agent: row.agentName,
    agent_version: row.agentVersion,
    checksum: row.checksum,
    status: row.status,
    cases: row.cases,
    repeat: row.repeat,
    planned: row.cases * row.repeat,
    finished: row.finished,
    passed: row.passed,
    pass_rate: row.finished > 0 && target !== undefined ? target.pass_rate : null,
    ...(target !== undefined && { interval: target.interval }),
    credits_charged_micros: row.chargedMicros,
    budget_credits_micros: row.budgetMicros,
    simulated: row.simulated,
    ...(row.errorCode !== null && { error: { error: row.errorCode, message: row.message ?? "" } }),
    author: row.author,
    created_at: row.createdAt.toISOString(),
    ended_at: row.endedAt?.toISOString() ?? null,
  };
}

export const presentEvalRunDetail = (row: BriefRow): PlatformEvalRunDetail => ({
  ...presentEvalRun(row),
  summary: row.summary,
});
