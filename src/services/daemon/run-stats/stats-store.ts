import { and, desc, eq, gte, inArray, lt, type SQL, sql } from "drizzle-orm";
import type { RunGrouping } from "../../../contracts/daemon/runs/run-stats.ts";
import { othersTurn } from "../../../kit/concurrency/others-turn.ts";
import type { Storage } from "../../../storage/storage.ts";
import type { RunFactTables } from "./schema.ts";

/** Runs of a range, of one tenant or of every tenant. */
export interface RunScope {
  tenant: string | { isEvery: true };
  since: Date;
  until: Date;
  agent?: string | undefined;
  model?: string | undefined;
}

/** Consecutive buckets of equal length. */
export interface BucketSpan {
  /** Number of the first. */
  first: number;
  startMs: number;
  lengthMs: number;
}

/** Figures of the runs of one group in one bucket. */
export interface FiguresRow {
  /** Number of the bucket; 0 if the figures are of the whole range. */
  bucket: number;
  /** Undefined for all groups that were not named, and without a grouping. */
  key: string | undefined;
  runs: number;
  errors: number;
  p50Ms: number;
  p95Ms: number;
  inputTokens: number;
  outputTokens: number;
  costMicros: number;
}

type Facts = Storage<RunFactTables>;

/** Returns the groups with the most runs, largest first, ties in the order of their names. */
export async function largestGroups(
  { read, tables }: Facts,
  scope: RunScope,
  by: RunGrouping,
  limit: number,
): Promise<string[]> {
  const key = tables.runFacts[by];
  const runs = sql<number>`count(*)`;
  const rows = await read
    .select({ key })
    .from(tables.runFacts)
    .where(inScope(tables, scope))
    .groupBy(key)
    .orderBy(desc(runs), key)
    .limit(limit);
  return rows.map((row) => row.key);
}

/** Adds up runs by bucket (without `spans`: over the whole range) and by the named groups; all other groups are one. */
export async function addUpRuns(
  { read, tables, dialect }: Facts,
  scope: RunScope,
  { spans, groups }: { spans?: readonly BucketSpan[]; groups?: { by: RunGrouping; keys: readonly string[] } },
): Promise<FiguresRow[]> {
  // A scan of many rows holds the process; requests that wait go first.
  await othersTurn();
  const { runFacts } = tables;
  const bucket = spans === undefined ? sql<number>`0` : bucketOf(dialect, runFacts.startedAt, spans);
  const key =
    groups === undefined || groups.keys.length === 0
      ? sql<string | null>`null`
      : sql<
          string | null
        >`case when ${inArray(runFacts[groups.by], [...groups.keys])} then ${runFacts[groups.by]} end`;
  const { durationMs, outcome, inputTokens, outputTokens, costMicros } = runFacts;
  const placed = read
    .select({
      bucket: bucket.as("bucket"),
      key: key.as("group_key"),
      durationMs,
      outcome,
      inputTokens,
      outputTokens,
      costMicros,
    })
    .from(runFacts)
    .where(inScope(tables, scope))
    .as("placed");
  const together = sql`partition by ${placed.bucket}, ${placed.key}`;
  const ranked = read
    .select({
      bucket: placed.bucket,
      key: placed.key,
      durationMs: placed.durationMs,
      outcome: placed.outcome,
      inputTokens: placed.inputTokens,
      outputTokens: placed.outputTokens,
      costMicros: placed.costMicros,
      rank: sql<number>`row_number() over (${together} order by ${placed.durationMs})`.as("rank"),
      runs: sql<number>`count(*) over (${together})`.as("runs"),
    })
    .from(placed)
    .as("ranked");
  // The nearest rank of a share of n runs is the share of n, rounded up.
  const percentile = (share: number) =>
    sql<number>`max(case when ${ranked.rank} = (${ranked.runs} * ${literal(share)} + 99) / 100 then ${ranked.durationMs} end)`.mapWith(
      Number,
    );
  const sum = (of: SQL) => sql<number>`sum(${of})`.mapWith(Number);
  const rows = await read
    .select({
      bucket: ranked.bucket,
      key: ranked.key,
      runs: sql<number>`count(*)`.mapWith(Number),
      errors: sum(sql`case when ${ranked.outcome} = 'ERROR' then 1 else 0 end`),
      p50Ms: percentile(50),
      p95Ms: percentile(95),
      inputTokens: sum(sql`${ranked.inputTokens}`),
      outputTokens: sum(sql`${ranked.outputTokens}`),
      costMicros: sum(sql`${ranked.costMicros}`),
    })
    .from(ranked)
    .groupBy(ranked.bucket, ranked.key)
    .orderBy(ranked.bucket);
  return rows.map((row) => ({ ...row, bucket: Number(row.bucket), key: row.key ?? undefined }));
}

function inScope({ runFacts }: RunFactTables, { tenant, since, until, agent, model }: RunScope) {
  return and(
    typeof tenant === "string" ? eq(runFacts.tenant, tenant) : undefined,
    gte(runFacts.startedAt, since),
    lt(runFacts.startedAt, until),
    agent === undefined ? undefined : eq(runFacts.agent, agent),
    model === undefined ? undefined : eq(runFacts.model, model),
  );
}

/** Number of the bucket in which a run started, as an integer. */
function bucketOf(
  dialect: Facts["dialect"],
  startedAt: RunFactTables["runFacts"]["startedAt"],
  spans: readonly BucketSpan[],
): SQL<number> {
  const startedMs = dialect === "sqlite" ? sql`${startedAt}` : sql`extract(epoch from ${startedAt}) * 1000`;
  const within = ({ first, startMs, lengthMs }: BucketSpan) => {
    const passed = sql`(${startedMs} - ${literal(startMs)}) / ${literal(lengthMs)}`;
    return sql`${literal(first)} + ${dialect === "sqlite" ? passed : sql`floor(${passed})`}`;
  };
  // The latest span that began before the run.
  const cases = spans
    .toReversed()
    .map((span) => sql`when ${startedMs} >= ${literal(span.startMs)} then ${within(span)}`);
  return sql<number>`case ${sql.join(cases, sql` `)} end`;
}

/** A number in the text of the statement: a parameter's type would depend on the engine. */
const literal = (value: number): SQL => sql.raw(String(Math.trunc(value)));
