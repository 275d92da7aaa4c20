import type { RecordedTrace } from "../../src/engine/telemetry/trace.ts";

/** A trace of one span, as a run would record it. */
export function recordedTrace(
  id: string,
  startedAtMs: number,
  {
    agent = "helper",
    output = "",
    session = "s",
    status = "OK",
  }: { agent?: string; output?: string; session?: string; status?: RecordedTrace["status"] } = {},
): RecordedTrace {
  return {
    trace_id: id,
    agent,
    session_id: session,
    status,
    started_at_ms: startedAtMs,
    duration_ms: 12.5,
    spans: [["agent.run", -1, 0, 12.5, status, { output }]],
  };
}
