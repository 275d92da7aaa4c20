import type { CassetteOutcome } from "../../../contracts/daemon/cassettes/cassette-file.ts";
import { recordingTexts as texts } from "../../texts/studio-runs.ts";

/** Describes the outcome of a run: its answer, its error, or that its reader left. */
export function outcomeText(outcome: CassetteOutcome): string {
  if ("error" in outcome) return `${outcome.error.code}: ${outcome.error.message}`;
  if ("left" in outcome) return texts.left;
  const { response } = outcome.result;
  return typeof response === "string" && response !== "" ? response : texts.noAnswer;
}
