import { isRecord } from "../wire/json.ts";
import { countOf, type ReportedUsage } from "../wire/usage.ts";

/** Reads the `usage` object of OpenAI's form, and DeepSeek's name for the tokens read from a cache. */
export function readUsage(usage: Record<string, unknown>): ReportedUsage {
  const details = usage.prompt_tokens_details;
  return {
    inputTokens: countOf(usage.prompt_tokens),
    outputTokens: countOf(usage.completion_tokens),
    cachedTokens:
      countOf(isRecord(details) ? details.cached_tokens : undefined) ??
      countOf(usage.prompt_cache_hit_tokens),
  };
}
