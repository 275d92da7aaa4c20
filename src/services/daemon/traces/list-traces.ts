import type { FeedbackSource } from "../../../contracts/daemon/runs/feedback.ts";
import { type SourceFilter, sourcesOf } from "../../../contracts/daemon/runs/run-sources.ts";
import type { TraceList, TraceSortKey } from "../../../contracts/daemon/runs/traces.ts";
import { decodeCursor, encodeCursor, refuseCursor } from "../../../http/page-cursor.ts";
import { readInstant } from "../../../http/read-instant.ts";
import { AppError } from "../../../kit/app-error.ts";
import { foldText } from "./fold-text.ts";
import { listedTrace } from "./summarize-trace.ts";
import { placeOfTrace, type TraceArchive } from "./trace-archive.ts";
import type { TraceFilter, TracePlace, TraceSort } from "./trace-filter.ts";

/** Query parameters of the trace list. */
export interface TraceListRequest {
  agent?: string;
  model?: string;
  status?: "OK" | "ERROR";
  session_id?: string;
  source?: SourceFilter;
  since?: string;
  until?: string;
  feedback?: "up" | "down" | "any";
  feedback_source?: FeedbackSource;
  search?: string;
  sort?: TraceSortKey;
  order?: "asc" | "desc";
  /** `next_cursor` of the previous page. */
  cursor?: string;
  limit: number;
  spans?: "true" | "false";
}

/** Returns one page of a tenant's traces. Throws AppError `invalid_request` for an invalid instant, search or cursor. */
export async function listTracePage(
  { traces }: { traces: TraceArchive },
  tenant: string,
  { limit, spans, ...asked }: TraceListRequest,
): Promise<TraceList> {
  const sort: TraceSort = { by: asked.sort ?? "time", isAscending: asked.order === "asc" };
  const list = await traces.list(tenant, { ...filterOf(asked, sort), limit: limit + 1 });
  const page = list.traces.slice(0, limit);
  const last = page.at(-1);
  const isCut = list.traces.length > limit && last !== undefined;
  const next = isCut ? placeOfTrace(last, sort.by) : list.reached;
  return {
    traces: page.map((trace) => listedTrace(trace, spans !== "false")),
    ...(next === undefined ? {} : { next_cursor: cursorOf(sort, next) }),
  };
}

function filterOf(
  {
    agent,
    model,
    status,
    session_id: sessionId,
    source = "all",
    since,
    until,
    feedback,
    feedback_source: feedbackSource,
    search,
    cursor,
  }: Omit<TraceListRequest, "limit" | "spans">,
  sort: TraceSort,
): TraceFilter {
  return {
    agent,
    model,
    status,
    sessionId,
    sources: sourcesOf(source),
    feedback,
    feedbackSource,
    search: search === undefined ? undefined : readSearch(search),
    since: readInstant("since", since),
    until: readInstant("until", until),
    sort,
    after: cursor === undefined ? undefined : placeOf(cursor, sort),
  };
}

function readSearch(text: string): string {
  const folded = foldText(text).trim();
  if (folded !== "") return folded;
  const message = "must contain more than white space";
  throw new AppError("invalid", "invalid_request", `The query is not valid: search ${message}.`, {
    details: {
      hint: "Leave search out to list all traces.",
      problems: [{ path: "search", message }],
    },
  });
}

const orderNames = { true: "asc", false: "desc" } as const;
const orderOf = ({ by, isAscending }: TraceSort) => `${by} ${orderNames[`${isAscending}`]}`;

const cursorOf = (sort: TraceSort, { key, traceId }: TracePlace): string =>
  encodeCursor([orderOf(sort), key, traceId]);

/** Latest instant that storage supports, in milliseconds. */
const instantMax = 253_402_300_799_999;

function placeOf(cursor: string, sort: TraceSort): TracePlace {
  const [order, key, traceId] = decodeCursor(cursor);
  const isOfSort = order === orderOf(sort) && typeof traceId === "string" && typeof key === "number";
  if (!isOfSort || key < 0 || (sort.by !== "latency" && !Number.isSafeInteger(key))) throw refuseCursor();
  if (sort.by === "time" && key > instantMax) throw refuseCursor();
  // PostgreSQL refuses the character 0 in parameters.
  if (traceId.includes("\0")) throw refuseCursor();
  return { key, traceId };
}
