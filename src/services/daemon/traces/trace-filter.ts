import type { RecordedTrace } from "../../../engine/telemetry/trace.ts";

/** Position in the list, which is newest first. Traces with the same start are ordered by id, descending. */
export interface TracePlace {
  startedAt: Date;
  traceId: string;
}

/** Filter of the trace list. */
export interface TraceFilter {
  agent?: string | undefined;
  status?: RecordedTrace["status"] | undefined;
  sessionId?: string | undefined;
  /** Started at this instant or later. */
  since?: Date | undefined;
  /** Started before this instant. */
  until?: Date | undefined;
  /** Only runs with this verdict, or with any. */
  feedback?: "up" | "down" | "any" | undefined;
  /** Only traces after this position. */
  after?: TracePlace | undefined;
}

/** Returns true if the filter includes the trace; verdicts are not in it. */
export function isListed(trace: RecordedTrace, filter: TraceFilter): boolean {
  const { agent, status, sessionId, since, until, after } = filter;
  return (
    (agent === undefined || trace.agent === agent) &&
    (status === undefined || trace.status === status) &&
    (sessionId === undefined || trace.session_id === sessionId) &&
    (since === undefined || trace.started_at_ms >= since.getTime()) &&
    (until === undefined || trace.started_at_ms < until.getTime()) &&
    (after === undefined || isBehind(trace, after))
  );
}

function isBehind({ started_at_ms: startedMs, trace_id: id }: RecordedTrace, place: TracePlace): boolean {
  const placeMs = place.startedAt.getTime();
  return startedMs < placeMs || (startedMs === placeMs && id < place.traceId);
}
