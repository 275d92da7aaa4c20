import type { Span } from "../../../contracts/daemon/runs/run.ts";
import { isModelCall, isToolCall, isUnpriced } from "../../../contracts/daemon/runs/traced-calls.ts";

/** Totals of a run over all its model calls and tools. */
export interface SpanTotals {
  inputTokens: number;
  outputTokens: number;
  cost: SpanCost;
  modelCalls: number;
  toolCalls: number;
}

/** Cost of a run, as in the summary of its trace. */
export interface SpanCost {
  cost_usd?: number;
  unpriced_calls: number;
}

export function spanTotals(spans: readonly Span[]): SpanTotals {
  const calls = spans.filter(isModelCall);
  const sum = (attribute: string) =>
    calls.reduce((total, { attributes }) => total + (Number(attributes[attribute]) || 0), 0);
  return {
    inputTokens: sum("input_tokens"),
    outputTokens: sum("output_tokens"),
    cost: spanCost(spans),
    modelCalls: calls.length,
    toolCalls: spans.filter(isToolCall).length,
  };
}

export function spanCost(spans: readonly Span[]): SpanCost {
  const calls = spans.filter(isModelCall).map(({ attributes }) => attributes);
  const costs = calls.map(({ cost_usd: cost }) => cost).filter((cost) => typeof cost === "number");
  return {
    ...(costs.length === 0 ? {} : { cost_usd: costs.reduce((sum, cost) => sum + cost, 0) }),
    unpriced_calls: calls.filter(isUnpriced).length,
  };
}
