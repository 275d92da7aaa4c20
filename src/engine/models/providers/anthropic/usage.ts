import { isRecord } from "../wire/json.ts";
import { countOf, type ReportedUsage } from "../wire/usage.ts";

/** Token counts of a `usage` object, merged into earlier ones: stream events contain some of the counts, each as a total so far. */
export interface UsageCounts {
  fresh?: number | undefined;
  written?: number | undefined;
  read?: number | undefined;
  output?: number | undefined;
}

export function mergeUsage(known: UsageCounts, usage: unknown): UsageCounts {
  if (!isRecord(usage)) return known;
  return {
    fresh: countOf(usage.input_tokens) ?? known.fresh,
    written: countOf(usage.cache_creation_input_tokens) ?? known.written,
    read: countOf(usage.cache_read_input_tokens) ?? known.read,
    output: countOf(usage.output_tokens) ?? known.output,
  };
}

/** Total usage. The vendor counts tokens read from and written to the cache separately from `input_tokens`. */
export function totalUsage({ fresh, written = 0, read, output }: UsageCounts): ReportedUsage {
  return {
    inputTokens: fresh === undefined ? undefined : fresh + written + (read ?? 0),
    outputTokens: output,
    cachedTokens: read,
    writtenTokens: written,
  };
}
