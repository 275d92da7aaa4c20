import { and, asc, desc, eq, gt, gte, inArray, lt, lte, or, type SQL, sql } from "drizzle-orm";
import { type RunSource, usualSource } from "../../../contracts/daemon/runs/run-sources.ts";
import { presentTrace } from "../../../engine/telemetry/present-trace.ts";
import type { OpenTrace } from "../../../engine/telemetry/trace.ts";
import { othersTurn } from "../../../kit/concurrency/others-turn.ts";
import type { Storage } from "../../../storage/storage.ts";
import type { JudgedTraceTables } from "./store.ts";
import { newestFirst, type TraceFilter, type TracePlace, type TraceSort } from "./trace-filter.ts";

/** Traces that a search reads at once; each piece takes a few milliseconds. */
const pieceRows = 500;
/** Traces that one search reads before it returns what it has. */
export const searchedRowsMax = 20_000;

/** JSON text after which a page ends, and after which others get their turn: reading it takes 5 to 10 ms. */
const pageBytesMax = 8 * 1024 * 1024;
const parsedBytesMax = 512 * 1024;

export interface TraceQuery extends TraceFilter {
  limit: number;
}

export interface FoundTraces {
  traces: OpenTrace[];
  /** Position that the page has reached, if it ended before `limit` and before the end of the list. */
  reached?: TracePlace;
}

/** Reads traces of a tenant in their order, up to `limit` and a number of bytes. */
export async function listTraces(
  storage: Storage<JudgedTraceTables>,
  tenant: string,
  query: TraceQuery,
): Promise<FoundTraces> {
  const { search } = query;
  if (search !== undefined) return searchTraces(storage, tenant, { ...query, search });
  const { traces } = storage.tables;
  const rows = await storage.read
    .select({ traceId: traces.traceId, key: sortColumn(storage.tables, query.sort) })
    .from(traces)
    .where(and(eq(traces.tenant, tenant), ...conditionsOf(storage.tables, query)))
    .orderBy(...orderOf(storage.tables, query.sort))
    .limit(query.limit);
  return readPage(storage, tenant, rows.map(placeOf));
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
  const found: TracePlace[] = [];
  let after = query.after;
  for (let read = 0; read < searchedRowsMax; read += pieceRows) {
    const piece = await readPiece(storage, tenant, { ...query, after });
    found.push(...piece.flatMap((row) => (row.isFound ? [placeOf(row)] : [])));
    const last = piece.at(-1);
    if (found.length >= query.limit || piece.length < pieceRows || last === undefined)
      return readPage(storage, tenant, found.slice(0, query.limit));
    after = placeOf(last);
    await othersTurn();
  }
  const page = await readPage(storage, tenant, found);
  return { ...(after && { reached: after }), ...page };
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

/** Reads the traces at these places, one by one if they are large, and says where it stopped if they are too much for one page. */
async function readPage(
  { read, tables: { traces } }: Storage<JudgedTraceTables>,
  tenant: string,
  places: readonly TracePlace[],
): Promise<FoundTraces> {
  if (places.length === 0) return { traces: [] };
  const withIds = (ids: readonly string[]) =>
    and(eq(traces.tenant, tenant), inArray(traces.traceId, [...ids]));
  const sizes = await read
    .select({ traceId: traces.traceId, bytes: traces.bytes })
    .from(traces)
    .where(withIds(places.map(({ traceId }) => traceId)));
  const bytesOf = new Map(sizes.map(({ traceId, bytes }) => [traceId, bytes]));
  const found: OpenTrace[] = [];
  let [at, pageBytes] = [0, 0];
  while (at < places.length && (at === 0 || pageBytes < pageBytesMax)) {
    const together: string[] = [];
    for (let bytes = 0; at < places.length && bytes < parsedBytesMax; at++) {
      const { traceId } = places[at] as TracePlace;
      bytes += bytesOf.get(traceId) ?? 0;
      pageBytes += bytesOf.get(traceId) ?? 0;
      together.push(traceId);
    }
    const rows = await read
      .select({ traceId: traces.traceId, body: traces.body })
      .from(traces)
      .where(withIds(together));
    const bodies = new Map(rows.map(({ traceId, body }) => [traceId, body]));
    for (const id of together) {
      // A trace may be deleted between the reads.
      const body = bodies.get(id);
      if (body !== undefined) found.push(presentTrace(JSON.parse(body)));
    }
    if (at < places.length) await othersTurn();
  }
  const reached = at < places.length ? places[at - 1] : undefined;
  return { traces: found, ...(reached && { reached }) };
}

const placeOf = ({ key, traceId }: { key: Date | number; traceId: string }): TracePlace => ({
  key: Number(key),
  traceId,
});

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
    sources,
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
  const judgedBy = [
    ...(feedbackSource === "channel" ? [] : [feedback]),
    ...(feedbackSource === "person" ? [] : [channelFeedback]),
  ];
  return [
    agent === undefined ? undefined : eq(traces.agent, agent),
    model === undefined ? undefined : eq(traces.model, model),
    status === undefined ? undefined : eq(traces.status, status),
    sessionId === undefined ? undefined : eq(traces.sessionId, sessionId),
    sources && isOneOf(traces.source, sources),
    since && gte(traces.startedAt, since),
    until && lt(traces.startedAt, until),
    verdict && or(...judgedBy.map((given) => isJudgedIn(given, verdict))),
    ...(after === undefined ? [] : placeConditions(tables, after, sort)),
  ];
}

/** Rows without a source are of production. */
const isOneOf = (column: JudgedTraceTables["traces"]["source"], sources: readonly RunSource[]): SQL =>
  inArray(sql`coalesce(${column}, ${usualSource})`, [...sources]);

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
