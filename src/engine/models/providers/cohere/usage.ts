import { isRecord } from "../wire/json.ts";
import { countOf, type ReportedUsage } from "../wire/usage.ts";

/**
 * Reads the `usage` object of the v2 Chat API. It has two counts: `billed_units` for billing, and `tokens`, which include the vendor's own
 * instructions for tools. Costs are computed from usage, so `billed_units` come first.
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
