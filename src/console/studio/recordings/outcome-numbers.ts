import type { CassetteOutcome } from "../../../contracts/daemon/cassettes/cassette-file.ts";
import type { RunResult } from "../../../contracts/daemon/runs/run.ts";

/** The numbers of an answer; older recordings may lack some. */
export interface OutcomeNumbers {
  model?: string;
  tokens?: number;
  totalMs?: number;
}

export function outcomeNumbers(outcome: CassetteOutcome): OutcomeNumbers {
  if (!("result" in outcome)) return {};
  const { provider, model, usage, timing } = outcome.result as Partial<RunResult>;
  return {
    ...(typeof model === "string"
      ? { model: typeof provider === "string" ? `${provider}/${model}` : model }
      : {}),
    ...(typeof usage?.total_tokens === "number" ? { tokens: usage.total_tokens } : {}),
    ...(typeof timing?.total_ms === "number" ? { totalMs: timing.total_ms } : {}),
  };
}
