import type { Span } from "../../../contracts/daemon/runs/run.ts";
import { isModelCall } from "../../../contracts/daemon/runs/traces.ts";
import { costOfSpans } from "./cost-of-spans.ts";

/** Totals of a run over all its model calls and tools. */
export interface SpanSums {
  inputTokens: number;
  outputTokens: number;
  costUsd: number | undefined;
  modelCalls: number;
  toolCalls: number;
}

export function sumSpans(spans: readonly Span[]): SpanSums {
  const calls = spans.filter(isModelCall);
  const sum = (attribute: string) =>
    calls.reduce((total, { attributes }) => total + (Number(attributes[attribute]) || 0), 0);
  return {
    inputTokens: sum("input_tokens"),
    outputTokens: sum("output_tokens"),
    costUsd: costOfSpans(spans),
    modelCalls: calls.length,
    toolCalls: spans.filter(({ name }) => name === "tool.call").length,
  };
}
