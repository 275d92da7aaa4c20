import type { OpenSpan, OpenTrace, RecordedSpan, RecordedTrace } from "./trace.ts";

/** A recorded trace in the format of the API. */
export function presentTrace(recorded: RecordedTrace): OpenTrace {
  const { trace_id, agent, session_id, status, started_at_ms, duration_ms, spans } = recorded;
  return {
    trace_id,
    agent,
    session_id,
    status,
    start_time: new Date(started_at_ms).toISOString(),
    duration_ms,
    spans: spans.map((span, number) => presentSpan(recorded, span, number)),
  };
}

function presentSpan(
  { trace_id, started_at_ms }: RecordedTrace,
  recorded: RecordedSpan,
  number: number,
): OpenSpan {
  const [name, parent, startMs, durationMs, status, attributes] = recorded;
  const startedAtMs = started_at_ms + startMs;
  return {
    name,
    span_id: spanIdOf(trace_id, number),
    ...(parent === -1 ? {} : { parent_span_id: spanIdOf(trace_id, parent) }),
    start_time: new Date(startedAtMs).toISOString(),
    end_time: new Date(startedAtMs + durationMs).toISOString(),
    duration_ms: durationMs,
    attributes,
    status,
  };
}

/** Sixteen hexadecimal digits: the random tail of the trace's UUID, then the number of the span. */
export function spanIdOf(traceId: string, number: number): string {
  return traceId.slice(-11) + number.toString(16).padStart(5, "0");
}
