import type { RecordedSpan, RecordedTrace } from "./trace.ts";

/**
 * The trace with every text attribute redacted, because a model or a caller may have chosen it; the same trace if nothing was redacted.
 * Recorded content is redacted when it is recorded.
 */
export function cleanTrace(trace: RecordedTrace, redact: (value: unknown) => unknown): RecordedTrace {
  let spans: RecordedSpan[] | undefined;
  for (let number = 0; number < trace.spans.length; number++) {
    const span = trace.spans[number];
    if (span === undefined) continue;
    const [name, parent, startMs, durationMs, status, attributes] = span;
    const cleaned = cleanAttributes(attributes, redact);
    if (cleaned === attributes) continue;
    spans ??= [...trace.spans];
    spans[number] = [name, parent, startMs, durationMs, status, cleaned];
  }
  return spans === undefined ? trace : { ...trace, spans };
}

/** Returns the same object if nothing was redacted, as in nearly every run. */
function cleanAttributes(
  attributes: Record<string, unknown>,
  redact: (value: unknown) => unknown,
): Record<string, unknown> {
  let cleaned = attributes;
  for (const name in attributes) {
    const value = attributes[name];
    if (typeof value !== "string") continue;
    const redacted = redact(value);
    if (redacted === value) continue;
    if (cleaned === attributes) cleaned = { ...attributes };
    cleaned[name] = redacted;
  }
  return cleaned;
}
