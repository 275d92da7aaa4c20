import type { Span } from "../../../contracts/daemon/runs/run.ts";
import {
  isModelCall,
  type JudgedTrace,
  type ListedTrace,
  type TraceSummary,
} from "../../../contracts/daemon/runs/traces.ts";
import type { BeginningTexts } from "../../../contracts/runtime/runs.ts";
import { cutText } from "../../../kit/text/cut-text.ts";

/** Converts a trace for lists. */
export function listedTrace(trace: JudgedTrace, withSpans = true): ListedTrace {
  return { ...trace, spans: withSpans ? trace.spans : [], summary: summarizeTrace(trace) };
}

/** The parts of a span that a summary needs. */
type SummarizedSpan = Pick<Span, "name" | "span_id" | "parent_span_id" | "attributes" | "status">;

/** Summarizes the spans of a run. */
export function summarizeTrace({ spans }: { spans: readonly SummarizedSpan[] }): TraceSummary {
  const [root] = spans;
  const calls = spans.filter(isModelCall);
  const asked = ownSpans(spans).filter(
    ({ name, attributes }) => name === "llm.complete" && typeof attributes.model === "string",
  );
  const answered = asked.findLast(({ status }) => status === "OK") ?? asked.at(-1);
  const inputTokens = sumOf(calls, "input_tokens") ?? 0;
  const outputTokens = sumOf(calls, "output_tokens") ?? 0;
  const costUsd = sumOf(calls, "cost_usd");
  const { error, reason, overridden } = root?.attributes ?? {};
  return {
    ...(answered && {
      provider: String(answered.attributes.provider),
      model: String(answered.attributes.model),
    }),
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    ...(costUsd === undefined ? {} : { cost_usd: costUsd }),
    model_calls: calls.length,
    tool_calls: spans.filter(({ name }) => name === "tool.call").length,
    ...(typeof error === "string" ? { error } : {}),
    ...(typeof reason === "string" ? { reason } : {}),
    ...(Array.isArray(overridden) ? { overridden: overridden.map(String) } : {}),
    ...beginningTexts({ spans }),
  };
}

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

/** Returns the spans of the requested agent, without those of agents that worked for it. Parents come before their children. */
function ownSpans(spans: readonly SummarizedSpan[]): SummarizedSpan[] {
  const others = new Set<string>();
  return spans.filter(({ name, span_id: id, parent_span_id: parent }) => {
    const isOther = parent !== undefined && (name === "agent.run" || others.has(parent));
    if (isOther) others.add(id);
    return !isOther;
  });
}

/** Sums an attribute; undefined if no span has it. The sum is rounded to whole micros, as prices are. */
function sumOf(spans: readonly SummarizedSpan[], attribute: string): number | undefined {
  const values = spans
    .map(({ attributes }) => attributes[attribute])
    .filter((value) => typeof value === "number");
  if (values.length === 0) return undefined;
  return Math.round(values.reduce((sum, value) => sum + value, 0) * 1_000_000) / 1_000_000;
}
