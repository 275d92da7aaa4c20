import type { ModelRequest, ToolCall, Usage } from "../../model.ts";
import { estimateRequestTokens, estimateTokens } from "../../token-count.ts";

/** Token counts that a server reported; a missing or invalid count is undefined. */
export interface ReportedUsage {
  inputTokens: number | undefined;
  outputTokens: number | undefined;
  cachedTokens: number | undefined;
  /** Absent if the protocol does not report them. */
  writtenTokens?: number | undefined;
  reasoningTokens?: number | undefined;
  audioInputTokens?: number | undefined;
  audioOutputTokens?: number | undefined;
}

/** The usage of an answer. Every answer has a cost: counts that are missing or zero are estimated and marked. */
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
    ...partOf("reasoningTokens", reported?.reasoningTokens, outputTokens),
    ...partOf("audioInputTokens", reported?.audioInputTokens, inputTokens),
    ...partOf("audioOutputTokens", reported?.audioOutputTokens, outputTokens),
    estimated: !reported?.inputTokens || !reported.outputTokens,
  };
}

/** A reported part of a count, no more than the whole; nothing for none. */
function partOf(name: string, part: number | undefined, whole: number): Record<string, number> {
  return part === undefined || part === 0 ? {} : { [name]: Math.min(part, whole) };
}

/** A reported token count; undefined for an invalid one. */
export function countOf(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : undefined;
}
