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

/** Where finished traces go. `record` never fails and never waits. */
export interface TraceSink {
  record(tenant: string, trace: Trace): void;
}
