import type { Span } from "../../../contracts/daemon/runs/run.ts";
import { isModelCall, isToolCall } from "../../../contracts/daemon/runs/traces.ts";

/** Totals of a run over all its model calls and tools. */
export interface SpanTotals {
  inputTokens: number;
  outputTokens: number;
  costUsd: number | undefined;
  modelCalls: number;
  toolCalls: number;
}

export function spanTotals(spans: readonly Span[]): SpanTotals {
  const calls = spans.filter(isModelCall);
  const sum = (attribute: string) =>
    calls.reduce((total, { attributes }) => total + (Number(attributes[attribute]) || 0), 0);
  return {
    inputTokens: sum("input_tokens"),
    outputTokens: sum("output_tokens"),
    costUsd: spanCost(spans),
    modelCalls: calls.length,
    toolCalls: spans.filter(isToolCall).length,
  };
}

/** Returns the sum of the known costs, in US dollars; undefined if no span has one. */
export function spanCost(spans: readonly Span[]): number | undefined {
  const costs = spans
    .filter(isModelCall)
    .map(({ attributes }) => attributes.cost_usd)
    .filter((cost) => typeof cost === "number");
  return costs.length === 0 ? undefined : costs.reduce((sum, cost) => sum + cost, 0);
}
