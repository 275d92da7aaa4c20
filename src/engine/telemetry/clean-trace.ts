import type { RecordedSpan, RecordedTrace } from "./trace.ts";

/**
 * The trace with every text attribute redacted, because a model or a caller may have chosen it. Recorded content is redacted when it is
 * recorded.
 */
export function cleanTrace(trace: RecordedTrace, redact: (value: unknown) => unknown): RecordedTrace {
  return {
    ...trace,
    spans: trace.spans.map((span): RecordedSpan => {
      const [name, parent, startMs, durationMs, status, attributes] = span;
      const cleaned = cleanAttributes(attributes, redact);
      return cleaned === attributes ? span : [name, parent, startMs, durationMs, status, cleaned];
    }),
  };
}

/** Returns the same object if nothing was redacted, as in nearly every run. */
function cleanAttributes(
  attributes: Record<string, unknown>,
  redact: (value: unknown) => unknown,
): Record<string, unknown> {
  let cleaned = attributes;
  for (const name of Object.keys(attributes)) {
    const value = attributes[name];
    if (typeof value !== "string") continue;
    const shown = redact(value);
    if (shown === value) continue;
    if (cleaned === attributes) cleaned = { ...attributes };
    cleaned[name] = shown;
  }
  return cleaned;
}
