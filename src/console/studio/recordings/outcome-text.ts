import type { CassetteOutcome } from "../../../contracts/daemon/cassette-file.ts";
import { recordingTexts as texts } from "../../texts/studio-runs.ts";

/** What a run came to, in words: its answer, why it failed, or that nobody read to its end. */
export function outcomeText(outcome: CassetteOutcome): string {
  if ("error" in outcome) return `${outcome.error.code}: ${outcome.error.message}`;
  if ("left" in outcome) return texts.left;
  const { response } = outcome.result;
  return typeof response === "string" && response !== "" ? response : texts.noAnswer;
}
