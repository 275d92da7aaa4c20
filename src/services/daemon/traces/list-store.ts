import { and, asc, desc, eq, gt, gte, inArray, lt, lte, or, type SQL, sql } from "drizzle-orm";
import { presentTrace } from "../../../engine/telemetry/present-trace.ts";
import type { Trace } from "../../../engine/telemetry/trace.ts";
import { othersTurn } from "../../../kit/concurrency/others-turn.ts";
import type { Storage } from "../../../storage/storage.ts";
import type { JudgedTraceTables } from "./store.ts";
import { newestFirst, type TraceFilter, type TracePlace, type TraceSort } from "./trace-filter.ts";

/** Traces that a search reads at once; each piece takes a few milliseconds. */
const pieceRows = 500;
/** Traces that one search reads before it returns what it has. */
export const searchedRowsMax = 20_000;

export interface TraceQuery extends TraceFilter {
  limit: number;
}

export interface FoundTraces {
  traces: Trace[];
  /** Position that a search has reached, if it ended before `limit` and before the end of the list. */
  reached?: TracePlace;
}

/** Reads traces of a tenant in their order, up to `limit`. */
export async function listTraces(
  storage: Storage<JudgedTraceTables>,
  tenant: string,
  query: TraceQuery,
): Promise<FoundTraces> {
  const { search } = query;
  if (search !== undefined) return searchTraces(storage, tenant, { ...query, search });
  const { traces } = storage.tables;
  const rows = await storage.read
    .select({ body: traces.body })
    .from(traces)
    .where(and(eq(traces.tenant, tenant), ...conditionsOf(storage.tables, query)))
    .orderBy(...orderOf(storage.tables, query.sort))
    .limit(query.limit);
  return { traces: rows.map(({ body }) => presentTrace(JSON.parse(body))) };
}

/**
 * Walks the list in pieces and compares the texts, so that no search blocks other requests and each ends. An index of words would be
 * faster, but it would not find text as it is typed in every script.
 */
async function searchTraces(
  storage: Storage<JudgedTraceTables>,
  tenant: string,
  query: TraceQuery & { search: string },
): Promise<FoundTraces> {
  const ids: string[] = [];
  let after = query.after;
  for (let read = 0; read < searchedRowsMax; read += pieceRows) {
    const piece = await readPiece(storage, tenant, { ...query, after });
    ids.push(...piece.flatMap(({ traceId, isFound }) => (isFound ? [traceId] : [])));
    const last = piece.at(-1);
    if (ids.length >= query.limit || piece.length < pieceRows || last === undefined)
      return { traces: await readBodies(storage, tenant, ids.slice(0, query.limit)) };
    after = { key: Number(last.key), traceId: last.traceId };
    await othersTurn();
  }
  return {
    traces: await readBodies(storage, tenant, ids),
    ...(after === undefined ? {} : { reached: after }),
  };
}

async function readPiece(
  { read, tables, dialect }: Storage<JudgedTraceTables>,
  tenant: string,
  { search, ...query }: TraceQuery & { search: string },
) {
  const { traces, traceTexts } = tables;
  const order = orderOf(tables, query.sort);
  const piece = read
    .select({ traceId: traces.traceId, key: sortColumn(tables, query.sort) })
    .from(traces)
    .where(and(eq(traces.tenant, tenant), ...conditionsOf(tables, query)))
    .orderBy(...order)
    .limit(pieceRows)
    .as("piece");
  const place = sql`${sql.identifier(dialect === "sqlite" ? "instr" : "strpos")}(${traceTexts.text}, ${search})`;
  const direction = directionOf(query.sort);
  return read
    .select({
      traceId: piece.traceId,
      key: piece.key,
      isFound: sql<boolean>`coalesce(${place} > 0, false)`.mapWith(Boolean),
    })
    .from(piece)
    .leftJoin(traceTexts, and(eq(traceTexts.tenant, tenant), eq(traceTexts.traceId, piece.traceId)))
    .orderBy(direction(piece.key), direction(piece.traceId));
}

async function readBodies(
  { read, tables: { traces } }: Storage<JudgedTraceTables>,
  tenant: string,
  ids: readonly string[],
): Promise<Trace[]> {
  if (ids.length === 0) return [];
  const rows = await read
    .select({ traceId: traces.traceId, body: traces.body })
    .from(traces)
    .where(and(eq(traces.tenant, tenant), inArray(traces.traceId, [...ids])));
  const bodies = new Map(rows.map(({ traceId, body }) => [traceId, body]));
  return ids.flatMap((id) => {
    // A trace may be deleted between the two reads.
    const body = bodies.get(id);
    return body === undefined ? [] : [presentTrace(JSON.parse(body))];
  });
}

const directionOf = ({ isAscending }: TraceSort = newestFirst) => (isAscending ? asc : desc);

function sortColumn({ traces }: JudgedTraceTables, { by }: TraceSort = newestFirst) {
  if (by === "time") return traces.startedAt;
  return by === "latency" ? traces.durationMs : traces.costMicros;
}

function orderOf(tables: JudgedTraceTables, sort: TraceSort | undefined): SQL[] {
  const direction = directionOf(sort);
  return [direction(sortColumn(tables, sort)), direction(tables.traces.traceId)];
}

/** Must match `isListed`, except for the search. */
function conditionsOf(
  tables: JudgedTraceTables,
  {
    agent,
    model,
    status,
    sessionId,
    since,
    until,
    feedback: verdict,
    feedbackSource,
    after,
    sort,
  }: TraceFilter,
): (SQL | undefined)[] {
  const { traces, feedback, channelFeedback } = tables;
  const isJudgedIn = (given: typeof feedback | typeof channelFeedback, rating: "up" | "down" | "any") => {
    const isSo = rating === "any" ? sql`true` : eq(given.rating, rating);
    const ofRun = sql`${given.tenant} = ${traces.tenant} and ${given.traceId} = ${traces.traceId}`;
    return sql`exists (select 1 from ${given} where ${ofRun} and ${isSo})`;
  };
  const sources = [
    ...(feedbackSource === "channel" ? [] : [feedback]),
    ...(feedbackSource === "person" ? [] : [channelFeedback]),
  ];
  return [
    agent === undefined ? undefined : eq(traces.agent, agent),
    model === undefined ? undefined : eq(traces.model, model),
    status === undefined ? undefined : eq(traces.status, status),
    sessionId === undefined ? undefined : eq(traces.sessionId, sessionId),
    since && gte(traces.startedAt, since),
    until && lt(traces.startedAt, until),
    verdict && or(...sources.map((given) => isJudgedIn(given, verdict))),
    ...(after === undefined ? [] : placeConditions(tables, after, sort)),
  ];
}

function placeConditions(
  tables: JudgedTraceTables,
  { key, traceId }: TracePlace,
  sort: TraceSort = newestFirst,
): (SQL | undefined)[] {
  const column = sortColumn(tables, sort);
  const place = sort.by === "time" ? new Date(key) : key;
  const [orEqual, beyond] = sort.isAscending ? [gte, gt] : [lte, lt];
  return [
    // An index scan can start only at the first of these conditions.
    orEqual(column, place),
    or(beyond(column, place), beyond(tables.traces.traceId, traceId)),
  ];
}
