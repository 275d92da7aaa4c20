import { and, eq, gte, inArray, lt, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { RunSource } from "../../../contracts/daemon/runs/run-sources.ts";
import type { RunGrouping } from "../../../contracts/daemon/runs/run-stats.ts";
import { othersTurn } from "../../../kit/concurrency/others-turn.ts";
import type { Storage } from "../../../storage/storage.ts";
import type { RunFactTables } from "./schema.ts";
import { SummedRuns } from "./summed-runs.ts";

/** Runs of a range, of one tenant or of every tenant. */
export interface RunScope {
  tenant: string | { isEvery: true };
  since: Date;
  until: Date;
  agent?: string | undefined;
  model?: string | undefined;
  sources?: readonly RunSource[] | undefined;
}

/** Consecutive buckets of equal length. */
export interface BucketSpan {
  /** Number of the first. */
  first: number;
  startMs: number;
  lengthMs: number;
}

type Facts = Storage<RunFactTables>;

/** Rows that one statement adds up, in a few milliseconds. */
const windowRows = 5000;

/** Adds up the runs of a scope by bucket and, with `by`, by group. Reads each row once, and others get their turn in between. */
export async function addUpRuns(
  storage: Facts,
  scope: RunScope,
  { spans, by }: { spans: readonly BucketSpan[]; by: RunGrouping | undefined },
): Promise<SummedRuns> {
  const { read, tables, dialect } = storage;
  const { runFacts } = tables;
  const { durationMs, outcome, inputTokens, outputTokens, costMicros, unpricedCalls, startedAt } = runFacts;
  const bucket = bucketOf(dialect, startedAt, spans);
  const key = by === undefined ? sql<string>`''` : sql<string>`${runFacts[by]}`;
  const sum = (of: SQLWrapper) => sql<number>`sum(${of})`.mapWith(Number);
  const durations =
    dialect === "sqlite" ? sql`json_group_array(${durationMs})` : sql`json_agg(${durationMs})`;
  const runs = new SummedRuns();
  for await (const window of windowsOf(storage, scope)) {
    const rows = await read
      .select({
        bucket: bucket.mapWith(Number),
        key,
        errors: sum(sql`case when ${outcome} = 'ERROR' then 1 else 0 end`),
        inputTokens: sum(inputTokens),
        outputTokens: sum(outputTokens),
        costMicros: sum(costMicros),
        unpricedCalls: sum(unpricedCalls),
        durations: durations.mapWith((found: unknown): number[] =>
          typeof found === "string" ? JSON.parse(found) : (found as number[]),
        ),
      })
      .from(runFacts)
      .where(inScope(tables, { ...scope, ...window }))
      .groupBy(sql`1`, sql`2`);
    for (const row of rows) runs.add(row.key, row.bucket, row);
  }
  return runs;
}

/** Yields the parts of a scope's time that have a bounded number of rows. */
async function* windowsOf(
  { read, tables }: Facts,
  { tenant, since, until }: RunScope,
): AsyncGenerator<{ since: Date; until: Date }> {
  const { startedAt } = tables.runFacts;
  for (let from = since; ; ) {
    // Without the filters, so that an index alone tells where the part ends.
    const [edge] = await read
      .select({ startedAt })
      .from(tables.runFacts)
      .where(inScope(tables, { tenant, since: from, until }))
      .orderBy(startedAt)
      .limit(1)
      .offset(windowRows);
    const end =
      edge === undefined ? until : edge.startedAt > from ? edge.startedAt : new Date(from.getTime() + 1);
    yield { since: from, until: end };
    if (edge === undefined) return;
    from = end;
    await othersTurn();
  }
}

function inScope({ runFacts }: RunFactTables, { tenant, since, until, agent, model, sources }: RunScope) {
  return and(
    typeof tenant === "string" ? eq(runFacts.tenant, tenant) : undefined,
    gte(runFacts.startedAt, since),
    lt(runFacts.startedAt, until),
    agent === undefined ? undefined : eq(runFacts.agent, agent),
    model === undefined ? undefined : eq(runFacts.model, model),
    sources && inArray(runFacts.source, [...sources]),
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
