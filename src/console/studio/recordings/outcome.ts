import type { CassetteOutcome, CassetteSummary } from "../../../contracts/daemon/cassettes/cassette-file.ts";
import type { RunResult } from "../../../contracts/daemon/runs/run.ts";
import type { Tone } from "../../parts/text/status-badge.tsx";
import { recordingTexts as texts } from "../../texts/studio/runs.ts";

/** Describes the outcome of a run: its answer, its error, or that its reader left. */
export function outcomeText(outcome: CassetteOutcome): string {
  if ("error" in outcome) return `${outcome.error.code}: ${outcome.error.message}`;
  if ("left" in outcome) return texts.left;
  const { response } = outcome.result;
  return typeof response === "string" && response !== "" ? response : texts.noAnswer;
}

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

/** Tones for the status of a recorded run. */
export const statusTones: Readonly<Record<CassetteSummary["status"], Tone>> = {
  ok: "good",
  failed: "bad",
  stopped: "plain",
};
