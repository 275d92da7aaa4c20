import { and, desc, eq, inArray, lt, lte, sql } from "drizzle-orm";
import { usualSource } from "../../../contracts/daemon/runs/run-sources.ts";
import { presentTrace } from "../../../engine/telemetry/present-trace.ts";
import type { OpenTrace, RecordedTrace } from "../../../engine/telemetry/trace.ts";
import { othersTurn } from "../../../kit/concurrency/others-turn.ts";
import { deleteInPieces } from "../../../storage/delete-in-pieces.ts";
import { preparedRows } from "../../../storage/prepared-rows.ts";
import { statement } from "../../../storage/statement.ts";
import type { ReadQuery, Storage } from "../../../storage/storage.ts";
import { insertRunFacts } from "../run-stats/fact-store.ts";
import type { RunFactTables } from "../run-stats/schema.ts";
import type { FeedbackTables } from "./feedback/schema.ts";
import type { TraceTables } from "./schema.ts";
import { factsOf, searchedText } from "./trace-facts.ts";
import { traceText } from "./trace-text.ts";

/** Tables of traces and of the verdicts on their runs. */
export type JudgedTraceTables = TraceTables & FeedbackTables;
type WrittenTables = TraceTables & RunFactTables;

interface TraceOfTenant {
  tenant: string;
  trace: RecordedTrace;
  /** True if only the facts of the run are stored. */
  isCountedOnly?: true;
}

/** Stores finished traces with their texts and facts; ids that are already stored stay unchanged. */
export async function insertTraces(
  storage: Storage<WrittenTables>,
  added: readonly TraceOfTenant[],
): Promise<void> {
  if (added.length === 0) return;
  const rows = added.map(rowsOf);
  const kept = rows.flatMap(({ kept }) => kept ?? []);
  const { tables } = storage;
  await storage.transact(async (tx) => {
    await insertRows(
      tx,
      tables,
      kept.map(({ trace }) => trace),
    );
    await insertTexts(
      tx,
      tables,
      kept.flatMap(({ text }) => text ?? []),
    );
    await insertRunFacts(
      tx,
      tables,
      rows.map(({ run }) => run),
    );
  });
}

const insertRows = preparedRows(
  "insert_traces",
  [
    "tenant",
    "traceId",
    "agent",
    "sessionId",
    "status",
    "startedAt",
    "durationMs",
    "bytes",
    "body",
    "costMicros",
    "model",
    "source",
  ],
  (tx, { traces }: TraceTables, rows) => tx.insert(traces).values(rows).onConflictDoNothing(),
);

const insertTexts = preparedRows(
  "insert_trace_texts",
  ["tenant", "traceId", "startedAt", "text"],
  (tx, { traceTexts }: TraceTables, rows) => tx.insert(traceTexts).values(rows).onConflictDoNothing(),
);

function rowsOf({ tenant, trace, isCountedOnly }: TraceOfTenant) {
  const { outcome, ...facts } = factsOf(trace);
  const shared = {
    tenant,
    traceId: trace.trace_id,
    agent: trace.agent,
    startedAt: new Date(trace.started_at_ms),
    durationMs: trace.duration_ms,
    model: storableText(facts.model),
  };
  const run = { ...facts, ...shared, outcome };
  if (isCountedOnly) return { run };
  // JSON escapes make any text storable, including NUL and unpaired surrogates.
  const body = traceText(trace);
  const { trace_id: traceId, session_id: sessionId, status } = trace;
  const bytes = Buffer.byteLength(body);
  const source = facts.source === usualSource ? null : facts.source;
  const row = { ...shared, sessionId, status, bytes, body, costMicros: facts.costMicros, source };
  const text = searchedText(trace);
  if (text === undefined) return { run, kept: { trace: row } };
  return { run, kept: { trace: row, text: { tenant, traceId, startedAt: shared.startedAt, text } } };
}

/** Callers choose model names, and PostgreSQL stores neither NUL nor unpaired surrogates. */
const storableText = (text: string): string => text.toWellFormed().replaceAll("\0", "\ufffd");

const traceById = statement((query: ReadQuery, { traces }: TraceTables) =>
  query
    .select({ body: traces.body })
    .from(traces)
    .where(and(eq(traces.tenant, sql.placeholder("tenant")), eq(traces.traceId, sql.placeholder("traceId"))))
    .prepare("trace_by_id"),
);

export async function findTrace(
  storage: Storage<TraceTables>,
  tenant: string,
  traceId: string,
): Promise<OpenTrace | undefined> {
  const [row] = await traceById(storage.read, storage.tables).execute({ tenant, traceId });
  return row && presentTrace(JSON.parse(row.body));
}

/** Traces that are parsed at once. */
const parsedAtOnce = 10;

/** Yields the stored traces of the ids in no order, few at a time, so that other requests get their turns. */
export async function* tracesByIds(
  { read, tables: { traces } }: Storage<TraceTables>,
  tenant: string,
  ids: readonly string[],
): AsyncGenerator<OpenTrace> {
  for (let start = 0; start < ids.length; start += parsedAtOnce) {
    const rows = await read
      .select({ body: traces.body })
      .from(traces)
      .where(and(eq(traces.tenant, tenant), inArray(traces.traceId, ids.slice(start, start + parsedAtOnce))));
    for (const { body } of rows) yield presentTrace(JSON.parse(body));
    await othersTurn();
  }
}

/**
 * Deletes the traces of all tenants that started at `olderThan` or before, then the oldest beyond `bytesMax`; first their texts and
 * verdicts, so that a crash leaves none without its trace. Returns the number of traces.
 */
export async function pruneTraces(
  storage: Storage<JudgedTraceTables>,
  { olderThan, bytesMax }: { olderThan: Date; bytesMax: number },
  signal?: AbortSignal,
): Promise<number> {
  const { traces, traceTexts, feedback, channelFeedback } = storage.tables;
  const removeUpTo = async (instant: Date) => {
    for (const table of [traceTexts, feedback, channelFeedback])
      await deleteInPieces(storage, table, lte(table.startedAt, instant), { signal });
    return deleteInPieces(storage, traces, lte(traces.startedAt, instant), { signal });
  };
  const aged = await removeUpTo(olderThan);
  if (signal?.aborted) return aged;
  const beyond = await newestBeyond(storage, bytesMax);
  return beyond === undefined ? aged : aged + (await removeUpTo(beyond));
}

/** Traces that are deleted in one transaction. */
const deletedAtOnce = 200;

/** Deletes some traces of a session with their texts and verdicts. Returns their number. */
export function deleteTracesOf(
  storage: Storage<JudgedTraceTables>,
  tenant: string,
  sessionId: string,
): Promise<number> {
  const { traces, traceTexts, feedback, channelFeedback } = storage.tables;
  return storage.transact(async (tx) => {
    const traceRows = await tx
      .select({ id: traces.traceId })
      .from(traces)
      .where(and(eq(traces.tenant, tenant), eq(traces.sessionId, sessionId)))
      .limit(deletedAtOnce);
    const ids = traceRows.map(({ id }) => id);
    if (ids.length === 0) return 0;
    for (const table of [traces, traceTexts, feedback, channelFeedback])
      await tx.delete(table).where(and(eq(table.tenant, tenant), inArray(table.traceId, ids)));
    return ids.length;
  });
}

/** Most rows that `agedTraces` counts. */
const agedRowsMax = 10_000;

/** Counts the traces of all tenants that are older than an instant, and their bytes, by the index that pruning reads. */
export async function agedTraces(
  { read, tables: { traces } }: Storage<JudgedTraceTables>,
  olderThan: Date,
): Promise<{ rows: number; size_bytes: number; complete: boolean }> {
  const aged = read
    .select({ bytes: traces.bytes })
    .from(traces)
    .where(lte(traces.startedAt, olderThan))
    .orderBy(traces.startedAt)
    .limit(agedRowsMax + 1)
    .as("aged");
  const [sum] = await read
    .select({ rows: sql<number>`count(*)`, bytes: sql<number>`coalesce(sum(${aged.bytes}), 0)` })
    .from(aged);
  const rows = Number(sum?.rows ?? 0);
  return {
    rows: Math.min(rows, agedRowsMax),
    size_bytes: Number(sum?.bytes ?? 0),
    complete: rows <= agedRowsMax,
  };
}

/** Instants whose traces are summed at once. */
const summedAtOnce = 2000;

/** Start of the newest trace that exceeds `bytesMax` together with all newer traces. */
async function newestBeyond(
  { read, tables: { traces } }: Storage<TraceTables>,
  bytesMax: number,
): Promise<Date | undefined> {
  let total = 0;
  let before: Date | undefined;
  for (;;) {
    const sums = await read
      .select({ startedAt: traces.startedAt, bytes: sql<number>`sum(${traces.bytes})` })
      .from(traces)
      .where(before === undefined ? undefined : lt(traces.startedAt, before))
      .groupBy(traces.startedAt)
      .orderBy(desc(traces.startedAt))
      .limit(summedAtOnce);
    for (const { startedAt, bytes } of sums) {
      total += Number(bytes);
      if (total > bytesMax) return startedAt;
      before = startedAt;
    }
    if (sums.length < summedAtOnce) return undefined;
    await othersTurn();
  }
}
