import { and, desc, eq, gte, lt, lte, or, type SQL, sql } from "drizzle-orm";
import { presentTrace } from "../../../engine/telemetry/present-trace.ts";
import type { RecordedTrace, Trace } from "../../../engine/telemetry/trace.ts";
import { preparedRows } from "../../../storage/prepared-rows.ts";
import { statement } from "../../../storage/statement.ts";
import type { Query, ReadQuery, Storage } from "../../../storage/storage.ts";
import type { FeedbackTables } from "./feedback/schema.ts";
import { deleteFeedbackUpTo } from "./feedback/store.ts";
import type { TraceTables } from "./schema.ts";
import type { TraceFilter } from "./trace-filter.ts";

/** Tables of traces and of the verdicts on their runs. */
export type JudgedTraceTables = TraceTables & FeedbackTables;

interface TraceOfTenant {
  tenant: string;
  trace: RecordedTrace;
}

/** Stores finished traces; ids that are already stored stay unchanged. */
export async function insertTraces(
  storage: Storage<TraceTables>,
  added: readonly TraceOfTenant[],
): Promise<void> {
  if (added.length === 0) return;
  const rows = added.map(rowOf);
  await storage.transact((tx) => insertRows(tx, storage.tables, rows));
}

const insertRows = preparedRows(
  "insert_traces",
  ["tenant", "traceId", "agent", "sessionId", "status", "startedAt", "durationMs", "bytes", "body"],
  (tx, { traces }: TraceTables, rows) => tx.insert(traces).values(rows).onConflictDoNothing(),
);

function rowOf({ tenant, trace }: TraceOfTenant) {
  // JSON escapes make any text storable, including NUL and unpaired surrogates.
  const body = JSON.stringify(trace);
  return {
    tenant,
    traceId: trace.trace_id,
    agent: trace.agent,
    sessionId: trace.session_id,
    status: trace.status,
    startedAt: new Date(trace.started_at_ms),
    durationMs: trace.duration_ms,
    bytes: Buffer.byteLength(body),
    body,
  };
}

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
): Promise<Trace | undefined> {
  const [row] = await traceById(storage.read, storage.tables).execute({ tenant, traceId });
  return row && presentTrace(JSON.parse(row.body));
}

/** Traces, newest first. */
export async function listTraces(
  storage: Storage<JudgedTraceTables>,
  tenant: string,
  { limit, ...filter }: TraceFilter & { limit: number },
): Promise<Trace[]> {
  const { traces } = storage.tables;
  const rows = await storage.read
    .select({ body: traces.body })
    .from(traces)
    .where(and(eq(traces.tenant, tenant), ...conditionsOf(storage.tables, filter)))
    .orderBy(desc(traces.startedAt), desc(traces.traceId))
    .limit(limit);
  return rows.map((row) => presentTrace(JSON.parse(row.body)));
}

/** Must match `isListed`. */
function conditionsOf(
  { traces, feedback }: JudgedTraceTables,
  { agent, status, sessionId, since, until, feedback: verdict, after }: TraceFilter,
) {
  const ofRun = sql`${feedback.tenant} = ${traces.tenant} and ${feedback.traceId} = ${traces.traceId}`;
  const isJudged = (rating: SQL) => sql`exists (select 1 from ${feedback} where ${ofRun} and ${rating})`;
  return [
    agent === undefined ? undefined : eq(traces.agent, agent),
    status === undefined ? undefined : eq(traces.status, status),
    sessionId === undefined ? undefined : eq(traces.sessionId, sessionId),
    since && gte(traces.startedAt, since),
    until && lt(traces.startedAt, until),
    verdict && isJudged(verdict === "any" ? sql`true` : eq(feedback.rating, verdict)),
    // An index scan can start only at the first of these conditions.
    after && lte(traces.startedAt, after.startedAt),
    after && or(lt(traces.startedAt, after.startedAt), lt(traces.traceId, after.traceId)),
  ];
}

/** Deletes the traces, with their verdicts, of all tenants that started at `olderThan` or before, then the oldest beyond `bytesMax`. Returns their number. */
export function pruneTraces(
  storage: Storage<JudgedTraceTables>,
  { olderThan, bytesMax }: { olderThan: Date; bytesMax: number },
): Promise<number> {
  const { traces } = storage.tables;
  return storage.transact(async (tx) => {
    const removeUpTo = async (instant: Date) => {
      const removed = await tx
        .delete(traces)
        .where(lte(traces.startedAt, instant))
        .returning({ id: traces.traceId });
      await deleteFeedbackUpTo(tx, storage.tables, instant);
      return removed.length;
    };
    const aged = await removeUpTo(olderThan);
    const beyond = await newestBeyond(tx, traces, bytesMax);
    return beyond === undefined ? aged : aged + (await removeUpTo(beyond));
  });
}

/** Start of the newest trace that exceeds `bytesMax` together with all newer traces. */
async function newestBeyond(
  tx: Query,
  traces: TraceTables["traces"],
  bytesMax: number,
): Promise<Date | undefined> {
  const total = sql<number>`sum(${traces.bytes}) over (order by ${traces.startedAt} desc)`.as("total");
  const totals = tx.select({ startedAt: traces.startedAt, total }).from(traces).as("totals");
  const [row] = await tx
    .select({ startedAt: totals.startedAt })
    .from(totals)
    .where(sql`${totals.total} > ${bytesMax}`)
    .orderBy(desc(totals.startedAt))
    .limit(1);
  return row?.startedAt;
}
