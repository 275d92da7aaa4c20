import { skippedCall } from "../../../contracts/daemon/runs/traces.ts";
import type { RecordedSpan, RecordedTrace } from "../../../engine/telemetry/trace.ts";
import { foldText } from "./fold-text.ts";

/** Properties of a trace that lists sort and filter by, and that statistics add up. */
export interface TraceFacts {
  /** "" without a model call. */
  model: string;
  inputTokens: number;
  outputTokens: number;
  /** 0 if no call had a known price. */
  costMicros: number;
  outcome: "OK" | "ERROR" | "PAUSED";
}

/** A run that ends with one of these codes continues as another run. */
const pauses: ReadonlySet<string> = new Set(["approval_required", "tool_result_required"]);

/** Returns the facts of a trace, equal to those of its summary, without the objects that a summary needs: every run is counted by them. */
export function factsOf({ spans, status }: RecordedTrace): TraceFacts {
  let inputTokens = 0;
  let outputTokens = 0;
  let costUsd = 0;
  let answered: RecordedSpan | undefined;
  /** Numbers of the spans of agents that worked for the requested one. */
  let others: Set<number> | undefined;
  for (let number = 0; number < spans.length; number++) {
    const span = spans[number];
    if (span === undefined) continue;
    const [name, parent, , , ended, attributes] = span;
    if (parent !== -1 && (name === "agent.run" || others?.has(parent))) {
      others ??= new Set();
      others.add(number);
    }
    if (name !== "llm.complete") continue;
    if (attributes.error !== skippedCall) {
      inputTokens += figureOf(attributes.input_tokens);
      outputTokens += figureOf(attributes.output_tokens);
      costUsd += figureOf(attributes.cost_usd);
    }
    if (others?.has(number) || typeof attributes.model !== "string") continue;
    if (ended === "OK" || answered?.[4] !== "OK") answered = span;
  }
  const error = spans[0]?.[5].error;
  const isPaused = typeof error === "string" && pauses.has(error);
  return {
    model: answered === undefined ? "" : String(answered[5].model),
    inputTokens: rounded(inputTokens),
    outputTokens: rounded(outputTokens),
    costMicros: microsOf(rounded(costUsd)),
    outcome: isPaused ? "PAUSED" : status,
  };
}

const figureOf = (value: unknown): number => (typeof value === "number" ? value : 0);

/** Rounds to six decimals, as a summary does. */
const rounded = (sum: number): number => Math.round(sum * 1_000_000) / 1_000_000;

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
