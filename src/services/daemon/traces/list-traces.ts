import type { TraceList } from "../../../contracts/daemon/runs/traces.ts";
import { decodeCursor, encodeCursor } from "../../../http/page-cursor.ts";
import { readInstant, requireInstant } from "../../../http/read-instant.ts";
import { operatorTenant } from "../operator-tenant.ts";
import { listedTrace } from "./summarize-trace.ts";
import type { TraceArchive } from "./trace-archive.ts";
import type { TraceFilter, TracePlace } from "./trace-filter.ts";

/** Query parameters of the trace list. */
export interface TraceListRequest {
  agent?: string;
  status?: "OK" | "ERROR";
  session_id?: string;
  since?: string;
  until?: string;
  feedback?: "up" | "down" | "any";
  /** `next_cursor` of the previous page. */
  cursor?: string;
  limit: number;
  spans?: "true" | "false";
}

/** Returns one page of the operator's traces. Throws AppError `invalid_request` for an invalid instant or cursor. */
export async function listTracePage(
  { traces }: { traces: TraceArchive },
  { limit, spans, ...asked }: TraceListRequest,
): Promise<TraceList> {
  const found = await traces.list(operatorTenant, { ...filterOf(asked), limit: limit + 1 });
  const page = found.slice(0, limit);
  const last = page.at(-1);
  return {
    traces: page.map((trace) => listedTrace(trace, spans !== "false")),
    ...(found.length > limit &&
      last !== undefined && { next_cursor: encodeCursor([last.start_time, last.trace_id]) }),
  };
}

function filterOf({
  agent,
  status,
  session_id: sessionId,
  since,
  until,
  feedback,
  cursor,
}: Omit<TraceListRequest, "limit" | "spans">): TraceFilter {
  return {
    agent,
    status,
    sessionId,
    feedback,
    since: readInstant("since", since),
    until: readInstant("until", until),
    after: cursor === undefined ? undefined : placeOf(cursor),
  };
}

function placeOf(cursor: string): TracePlace {
  const [startedAt, traceId] = decodeCursor(cursor);
  return { startedAt: requireInstant("cursor", String(startedAt)), traceId: String(traceId) };
}
