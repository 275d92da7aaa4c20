import { isRecord } from "../wire/json.ts";
import { countOf, type ReportedUsage } from "../wire/usage.ts";

/**
 * Reads a `usage` object in OpenAI's format, including DeepSeek's field for tokens read from a cache and OpenRouter's for tokens written to
 * one.
 */
export function readUsage(usage: Record<string, unknown>): ReportedUsage {
  const details = isRecord(usage.prompt_tokens_details) ? usage.prompt_tokens_details : {};
  const writtenTokens = countOf(details.cache_write_tokens);
  return {
    inputTokens: countOf(usage.prompt_tokens),
    outputTokens: countOf(usage.completion_tokens),
    cachedTokens: countOf(details.cached_tokens) ?? countOf(usage.prompt_cache_hit_tokens),
    ...(writtenTokens !== undefined && { writtenTokens }),
  };
}
