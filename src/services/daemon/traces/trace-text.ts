import type { RecordedTrace } from "../../../engine/telemetry/trace.ts";

/** Texts of traces that were written for another node, or came from one. */
const texts = new WeakMap<RecordedTrace, string>();

/** Returns the trace as JSON, as it is stored. A trace that is sent to another node and stored as well is written once. */
export function traceText(trace: RecordedTrace): string {
  const text = texts.get(trace) ?? JSON.stringify(trace);
  texts.set(trace, text);
  return text;
}

/** Reads a trace that `traceText` wrote, and keeps the text for its store. */
export function traceOfText(text: string): RecordedTrace {
  const trace = JSON.parse(text) as RecordedTrace;
  texts.set(trace, text);
  return trace;
}
