/** A span in the format of the API. Instants are ISO 8601 UTC, durations are milliseconds. */
export interface OpenSpan {
  name: string;
  span_id: string;
  parent_span_id?: string;
  start_time: string;
  end_time: string;
  duration_ms: number;
  attributes: Record<string, unknown>;
  status: "OK" | "ERROR";
}

export interface OpenTrace {
  trace_id: string;
  agent: string;
  session_id: string;
  status: "OK" | "ERROR";
  start_time: string;
  duration_ms: number;
  spans: OpenSpan[];
}

/** A finished trace as it is stored: a quarter of the size of the API's format and faster to create. `present-trace.ts` converts it. */
export interface RecordedTrace {
  trace_id: string;
  agent: string;
  session_id: string;
  status: "OK" | "ERROR";
  /** Milliseconds since 1970. */
  started_at_ms: number;
  duration_ms: number;
  /** Root first; a parent comes before its children. */
  spans: RecordedSpan[];
}

/** `parent`: index of the parent in the list, -1 for the root. `startMs`: milliseconds since the start of the trace. */
export type RecordedSpan = [
  name: string,
  parent: number,
  startMs: number,
  durationMs: number,
  status: "OK" | "ERROR",
  attributes: Record<string, unknown>,
];

/**
 * Destination of finished traces. Its functions never fail and never wait. `corrected` resolves to the trace in its final form if some usage
 * is still to come; a sink that can't change a trace later waits for it. Never rejects.
 */
export interface TraceSink {
  record(tenant: string, trace: RecordedTrace, corrected?: Promise<RecordedTrace>): void;
  /** Counts a run whose trace is not kept, because its agent is not traced or only a share of its runs is. */
  count?(tenant: string, trace: RecordedTrace): void;
}
