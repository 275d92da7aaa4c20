import { type RunSource, runSources, usualSource } from "../../../contracts/daemon/runs/run-sources.ts";
import type { RecordedTrace } from "../../../engine/telemetry/trace.ts";
import { foldText } from "./fold-text.ts";
import { addUpSpans } from "./span-facts.ts";

/** Properties of a trace that lists sort and filter by, and that statistics add up. */
export interface TraceFacts {
  /** "" without a model call. */
  model: string;
  inputTokens: number;
  outputTokens: number;
  /** 0 if no call had a known price. */
  costMicros: number;
  /** Model calls that `costMicros` does not include. */
  unpricedCalls: number;
  outcome: "OK" | "ERROR" | "PAUSED";
  source: RunSource;
}

/** A run that ends with one of these codes continues as another run. */
const pauses: ReadonlySet<string> = new Set(["approval_required", "tool_result_required"]);

/** Returns the facts of a trace, equal to those of its summary. */
export function factsOf({ spans, status }: RecordedTrace): TraceFacts {
  const { answered, inputTokens, outputTokens, costUsd = 0, unpricedCalls } = addUpSpans(spans);
  const error = spans[0]?.[5].error;
  return {
    model: answered === undefined ? "" : String(answered.model),
    inputTokens,
    outputTokens,
    costMicros: microsOf(costUsd),
    source: sourceIn(spans[0]?.[5]),
    unpricedCalls,
    outcome: typeof error === "string" && pauses.has(error) ? "PAUSED" : status,
  };
}

/** Source of the run whose root span has these attributes. */
export const sourceIn = (attributes: Record<string, unknown> | undefined): RunSource =>
  runSources.find((source) => source === attributes?.source) ?? usualSource;

/** Converts the cost of a summary, which has six decimals, to micros. */
export const microsOf = (costUsd: number): number => Math.round(costUsd * 1_000_000);

/** Characters of a question, and of an answer, that are searched. */
const searchedMax = 32_768;

/** Returns the question and the answer of a trace as they are searched; undefined if the trace has neither. No search matches across both. */
export function searchedText({ spans }: RecordedTrace): string | undefined {
  const { input, output } = spans[0]?.[5] ?? {};
  const texts = [input, output].filter((text) => typeof text === "string" && text !== "");
  if (texts.length === 0) return undefined;
  return texts.map((text) => foldText(String(text).slice(0, searchedMax))).join("\n");
}
