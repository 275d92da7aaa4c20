import type { ModelRequest, ToolCall, Usage } from "../../model.ts";
import { estimateRequestTokens, estimateTokens } from "../../token-count.ts";

/** What a server reported of an answer's tokens; a figure that is missing or makes no sense is undefined. */
export interface ReportedUsage {
  inputTokens: number | undefined;
  outputTokens: number | undefined;
  cachedTokens: number | undefined;
  /** Absent where the protocol doesn't tell. */
  writtenTokens?: number;
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
  const cachedTokens = Math.min(reported?.cachedTokens ?? 0, inputTokens);
  const writtenTokens = Math.min(reported?.writtenTokens ?? 0, inputTokens - cachedTokens);
  return {
    inputTokens,
    outputTokens,
    cachedTokens,
    ...(writtenTokens === 0 ? {} : { writtenTokens }),
    estimated: !reported?.inputTokens || !reported.outputTokens,
  };
}

/** A reported number of tokens; undefined for what can be none. */
export function countOf(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : undefined;
}
