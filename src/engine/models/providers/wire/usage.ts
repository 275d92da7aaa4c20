import type { ModelRequest, ToolCall, Usage } from "../../model.ts";
import { estimateRequestTokens, estimateTokens } from "../../token-count.ts";

/** What a server reported of an answer's tokens; a figure that is missing or makes no sense is undefined. */
export interface ReportedUsage {
  inputTokens: number | undefined;
  outputTokens: number | undefined;
  cachedTokens: number | undefined;
}

/** The usage of an answer. No answer costs nothing: a figure that is absent or zero is counted by us and marked. */
export function completeUsage(
  reported: ReportedUsage | undefined,
  request: ModelRequest,
  text: string,
  calls: readonly ToolCall[],
): Usage {
  const inputTokens = reported?.inputTokens || estimateRequestTokens(request);
  const outputTokens =
    reported?.outputTokens ||
    estimateTokens(text) + (calls.length === 0 ? 0 : estimateTokens(JSON.stringify(calls)));
  return {
    inputTokens,
    outputTokens,
    cachedTokens: Math.min(reported?.cachedTokens ?? 0, inputTokens),
    estimated: !reported?.inputTokens || !reported.outputTokens,
  };
}

/** A reported number of tokens; undefined for what can be none. */
export function countOf(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : undefined;
}
