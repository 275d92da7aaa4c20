/** A trace as the API shows it; instants ISO 8601 UTC, durations in milliseconds. */
export interface Span {
  name: string;
  span_id: string;
  parent_span_id?: string;
  start_time: string;
  end_time: string;
  duration_ms: number;
  attributes: Record<string, unknown>;
  status: "OK" | "ERROR";
}

export interface Trace {
  trace_id: string;
  agent: string;
  session_id: string;
  status: "OK" | "ERROR";
  start_time: string;
  duration_ms: number;
  spans: Span[];
}

/**
 * A finished trace as it is kept: a quarter of the size of what the API shows, and made in a fraction of the time.
 * `present-trace.ts` makes the one of the other.
 */
export interface RecordedTrace {
  trace_id: string;
  agent: string;
  session_id: string;
  status: "OK" | "ERROR";
  /** Milliseconds since 1970. */
  started_at_ms: number;
  duration_ms: number;
  /** The root first; a parent stands before its children. */
  spans: RecordedSpan[];
}

/** `parent` is the parent's place in the list, -1 for the root; `startMs` counts from the start of the trace. */
export type RecordedSpan = [
  name: string,
  parent: number,
  startMs: number,
  durationMs: number,
  status: "OK" | "ERROR",
  attributes: Record<string, unknown>,
];

/** Where finished traces go. `record` never fails and never waits. */
export interface TraceSink {
  record(tenant: string, trace: RecordedTrace): void;
}
