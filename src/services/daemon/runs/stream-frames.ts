import type { RunResult, StreamFrame } from "../../../contracts/daemon/runs/run.ts";
import type { RunEvent } from "../../../engine/run-state/run-event.ts";
import { presentTrace } from "../../../engine/telemetry/present-trace.ts";
import { toAppError } from "../../../kit/app-error.ts";
import { type AwaitedRun, awaitedIn } from "../paused-runs/paused-runs.ts";
import { upstreamDetails } from "../upstream-details.ts";

/** Parts of a result that its reader asks for. */
export interface RunParts {
  withTrace?: boolean;
  withCost?: boolean;
}

/** The cost in a result. Absent from a run on a node that does not report it. */
export function costOf({
  costMicros,
}: Pick<Extract<RunEvent, { type: "done" }>, "costMicros">): Pick<RunResult, "cost_usd"> {
  if (costMicros === undefined) return {};
  return { cost_usd: costMicros === null ? null : costMicros / 1_000_000 };
}

/** Converts a run's events to frames. `done` contains the whole answer, but no other part that was streamed before. */
export function frameOf(
  event: Exclude<RunEvent, { type: "tokens" }>,
  { withTrace, withCost }: RunParts = {},
): StreamFrame {
  if (event.type !== "done") return event;
  const { response, session_id, trace_id, usage, timing, metadata } = event.result;
  const { finish, data, data_error, chain, propuestas, cassette, cassette_error } = event.result;
  return {
    type: "done",
    response,
    session_id,
    trace_id,
    usage,
    timing: { total_ms: timing.total_ms },
    metadata,
    ...(finish === undefined ? {} : { finish }),
    ...(data === undefined ? {} : { data }),
    ...(data_error === undefined ? {} : { data_error }),
    ...(chain === undefined ? {} : { chain }),
    ...(propuestas === undefined ? {} : { propuestas }),
    ...(cassette === undefined ? {} : { cassette }),
    ...(cassette_error === undefined ? {} : { cassette_error }),
    ...(withCost && costOf(event)),
    ...(withTrace && event.trace ? { trace: presentTrace(event.trace) } : {}),
  };
}

/** Returns the JSON of an event's frames, one for each token. Tokens, nearly all frames of a stream, need no frame object. */
export function frameTexts(event: RunEvent, parts?: RunParts): string[] {
  if (event.type === "tokens") return event.contents.map(tokenText);
  return [event.type === "token" ? tokenText(event.content) : JSON.stringify(frameOf(event, parts))];
}

const tokenText = (content: string) => `{"type":"token","content":${JSON.stringify(content)}}`;

/** Creates the last frame of a stream that failed or that waits for a person or its caller. */
export function errorFrame(thrown: unknown): StreamFrame {
  const error = toAppError(thrown);
  const awaited = awaitedIn(error);
  if (awaited !== undefined) {
    return awaitedFrame(awaited);
  }
  const { code, message, details } = error;
  return { type: "error", error: code, message, ...upstreamDetails(error), ...runFactsOf(details.facts) };
}

function awaitedFrame(awaited: AwaitedRun): StreamFrame {
  if (awaited.status === "awaiting_approval") {
    const { status: _, ...fields } = awaited;
    return { type: "approval_required", ...fields };
  }
  const { status: _, ...fields } = awaited;
  return { type: "tool_result_required", ...fields };
}

type RunFacts = Pick<Extract<StreamFrame, { type: "error" }>, "trace_id" | "cassette" | "cassette_error">;

/** Where the failed run is to be looked at. */
function runFactsOf({ trace_id, cassette, cassette_error }: Record<string, unknown> = {}): RunFacts {
  return {
    ...(typeof trace_id === "string" ? { trace_id } : {}),
    ...(typeof cassette === "string" ? { cassette } : {}),
    ...(typeof cassette_error === "string" ? { cassette_error } : {}),
  };
}
