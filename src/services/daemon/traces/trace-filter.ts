import type { RecordedTrace } from "../../../engine/telemetry/trace.ts";

/** A place in the list, which is newest first: what began at the same time stands in the order of ids, the greatest first. */
export interface TracePlace {
  startedAt: Date;
  traceId: string;
}

/** Which traces are listed. */
export interface TraceFilter {
  agent?: string | undefined;
  status?: RecordedTrace["status"] | undefined;
  sessionId?: string | undefined;
  /** Began at it or later. */
  since?: Date | undefined;
  /** Began before it. */
  until?: Date | undefined;
  /** From behind this one on. */
  after?: TracePlace | undefined;
}

/** Whether a trace is among those that the filter lists. */
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
