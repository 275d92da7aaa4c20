import type { Span } from "../../../contracts/daemon/runs/run.ts";
import {
  type JudgedTrace,
  type ListedTrace,
  listedSpansMax,
  type TraceSummary,
} from "../../../contracts/daemon/runs/traces.ts";
import type { BeginningTexts } from "../../../contracts/runtime/runs.ts";
import type { RecordedSpan } from "../../../engine/telemetry/trace.ts";
import { cutText } from "../../../kit/text/cut-text.ts";
import { addUpSpans } from "./span-facts.ts";
import { sourceIn } from "./trace-facts.ts";

/** Converts a trace for lists. A long one has its summary only. */
export function listedTrace(trace: JudgedTrace, withSpans = true): ListedTrace {
  const { spans } = trace;
  const isShown = withSpans && spans.length <= listedSpansMax;
  return { ...trace, spans: isShown ? spans : [], span_count: spans.length, summary: summarizeTrace(trace) };
}

/** The parts of a span that a summary needs. */
type SummarizedSpan = Pick<Span, "name" | "span_id" | "parent_span_id" | "attributes" | "status">;

/** Summarizes the spans of a run. */
export function summarizeTrace({ spans }: { spans: readonly SummarizedSpan[] }): TraceSummary {
  const { answered, inputTokens, outputTokens, costUsd, unpricedCalls, modelCalls, toolCalls } = addUpSpans(
    recorded(spans),
  );
  const { error, reason, overridden } = spans[0]?.attributes ?? {};
  return {
    source: sourceIn(spans[0]?.attributes),
    ...(answered && { provider: String(answered.provider), model: String(answered.model) }),
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    ...(costUsd === undefined ? {} : { cost_usd: costUsd }),
    unpriced_calls: unpricedCalls,
    model_calls: modelCalls,
    tool_calls: toolCalls,
    ...(typeof error === "string" ? { error } : {}),
    ...(typeof reason === "string" ? { reason } : {}),
    ...(Array.isArray(overridden) ? { overridden: overridden.map(String) } : {}),
    ...beginningTexts({ spans }),
  };
}

/** Spans of the API as they are recorded, without their times. A parent that is not listed does not count. */
function recorded(spans: readonly SummarizedSpan[]): RecordedSpan[] {
  const numbers = new Map(spans.map(({ span_id: id }, number) => [id, number]));
  return spans.map(({ name, parent_span_id: parent, status, attributes }) => [
    name,
    parent === undefined ? -1 : (numbers.get(parent) ?? unlisted),
    0,
    0,
    status,
    attributes,
  ]);
}

/** Number of a parent that is not listed. */
const unlisted = -2;

/** Returns the beginnings of question and answer of a trace; undefined if it keeps neither. */
export function beginningTexts({
  spans: [root],
}: {
  spans: readonly Pick<Span, "attributes">[];
}): BeginningTexts | undefined {
  const { input, output } = root?.attributes ?? {};
  if (typeof input !== "string" && typeof output !== "string") return undefined;
  return {
    ...(typeof input === "string" ? { question: beginningOf(input) } : {}),
    ...(typeof output === "string" ? { answer: beginningOf(output) } : {}),
  };
}

/** Characters of a text in a list. */
const beginningMax = 200;

const beginningOf = (text: string): string =>
  cutText(
    text
      .slice(0, 4 * beginningMax)
      .replace(/\s+/g, " ")
      .trim(),
    beginningMax,
  );
