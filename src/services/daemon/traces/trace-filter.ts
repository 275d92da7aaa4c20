import type { FeedbackSource } from "../../../contracts/daemon/runs/feedback.ts";
import type { RunSource } from "../../../contracts/daemon/runs/run-sources.ts";
import type { TraceSortKey } from "../../../contracts/daemon/runs/traces.ts";
import type { RecordedTrace } from "../../../engine/telemetry/trace.ts";
import { factsOf, searchedText } from "./trace-facts.ts";

export interface TraceSort {
  by: TraceSortKey;
  isAscending: boolean;
}

export const newestFirst: TraceSort = { by: "time", isAscending: false };

/** Position in the list. Traces with the same key are ordered by id, in the same direction. */
export interface TracePlace {
  /** Start in milliseconds since 1970, duration in milliseconds, or cost in micros of USD. */
  key: number;
  traceId: string;
}

/** Filter of the trace list. */
export interface TraceFilter {
  agent?: string | undefined;
  model?: string | undefined;
  status?: RecordedTrace["status"] | undefined;
  sessionId?: string | undefined;
  /** Only runs with one of these sources. */
  sources?: readonly RunSource[] | undefined;
  /** Started at this instant or later. */
  since?: Date | undefined;
  /** Started before this instant. */
  until?: Date | undefined;
  /** Only runs with this verdict, or with any. */
  feedback?: "up" | "down" | "any" | undefined;
  /** With `feedback`: only verdicts of this source. */
  feedbackSource?: FeedbackSource | undefined;
  /** Only traces whose question or answer contains this text, folded by `foldText`. */
  search?: string | undefined;
  /** Only traces after this position of `sort`. */
  after?: TracePlace | undefined;
  /** Newest first unless given. */
  sort?: TraceSort | undefined;
}

/** Returns true if the filter includes the trace; verdicts are not in it. */
export function isListed(trace: RecordedTrace, filter: TraceFilter): boolean {
  const { agent, model, status, sessionId, sources, since, until, search, after } = filter;
  const { sort = newestFirst } = filter;
  return (
    (agent === undefined || trace.agent === agent) &&
    (status === undefined || trace.status === status) &&
    (sessionId === undefined || trace.session_id === sessionId) &&
    (sources === undefined || sources.includes(factsOf(trace).source)) &&
    (since === undefined || trace.started_at_ms >= since.getTime()) &&
    (until === undefined || trace.started_at_ms < until.getTime()) &&
    (model === undefined || factsOf(trace).model === model) &&
    (search === undefined || searchedText(trace)?.includes(search) === true) &&
    (after === undefined || comparePlaces(sort, placeOf(trace, sort), after) > 0)
  );
}

function placeOf(trace: RecordedTrace, { by }: TraceSort): TracePlace {
  const { trace_id: traceId, started_at_ms: startedMs, duration_ms: durationMs } = trace;
  if (by === "time") return { key: startedMs, traceId };
  return { key: by === "latency" ? durationMs : factsOf(trace).costMicros, traceId };
}

/** Compares two positions in the order of the list. */
export function comparePlaces({ isAscending }: TraceSort, a: TracePlace, b: TracePlace): number {
  const direction = isAscending ? 1 : -1;
  if (a.key !== b.key) return a.key > b.key ? direction : -direction;
  if (a.traceId === b.traceId) return 0;
  return a.traceId > b.traceId ? direction : -direction;
}
