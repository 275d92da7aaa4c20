import { isRecord } from "../wire/json.ts";
import { countOf, type ReportedUsage } from "../wire/usage.ts";

/**
 * Reads the `usage` object of the v2 Chat API. It counts twice: `billed_units` is what the account pays for, `tokens` what
 * the model read with the vendor's own instructions for tools. Costs are reckoned from usage, so the former goes first.
 */
export function readUsage(usage: Record<string, unknown>): ReportedUsage {
  const billed = isRecord(usage.billed_units) ? usage.billed_units : {};
  const tokens = isRecord(usage.tokens) ? usage.tokens : {};
  return {
    inputTokens: countOf(billed.input_tokens) ?? countOf(tokens.input_tokens),
    outputTokens: countOf(billed.output_tokens) ?? countOf(tokens.output_tokens),
    cachedTokens: countOf(usage.cached_tokens),
  };
}
