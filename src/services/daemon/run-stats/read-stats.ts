import { sourcesOf } from "../../../contracts/daemon/runs/run-sources.ts";
import {
  type BucketLength,
  bucketLengths,
  type RunBucket,
  type RunFigures,
  type RunGroup,
  type RunStats,
  type RunStatsQuery,
} from "../../../contracts/daemon/runs/run-stats.ts";
import { readInstant } from "../../../http/read-instant.ts";
import { readTimeZone } from "../../../http/read-time-zone.ts";
import { AppError } from "../../../kit/app-error.ts";
import { othersTurn } from "../../../kit/concurrency/others-turn.ts";
import { usdOfMicros } from "../../../kit/usd.ts";
import type { Storage } from "../../../storage/storage.ts";
import { bucketStarts, bucketsIn, spansOf } from "./buckets.ts";
import { factsKeptFrom } from "./fact-store.ts";
import type { RunFactTables } from "./schema.ts";
import { addUpRuns, type BucketSpan, type RunScope } from "./stats-store.ts";
import type { SummedFigures, SummedRuns } from "./summed-runs.ts";

/** Groups that are named; the rest is one group. */
const groupsNamed = 10;
/** Buckets of one answer: 30 days by the hour. */
const bucketsMax = 750;
/** Buckets that a chart shows well, for a range without a given length. */
const bucketsUsual = 62;
const dayMs = bucketLengths["1d"];

/** Statistics of finished runs. */
export interface RunStatistics {
  /** `tenant`: whose runs; every tenant's only for the owner of the machine. */
  read(tenant: RunScope["tenant"], query: Omit<RunStatsQuery, "tenant">, now: Date): Promise<RunStats>;
}

/** `flush` stores the runs that ended a moment ago. */
export function createRunStatistics(
  storage: Storage<RunFactTables>,
  flush: () => Promise<void>,
): RunStatistics {
  return {
    async read(tenant, { group_by: by, agent, model, source, ...asked }, now) {
      const range = rangeOf(asked, now);
      // If they can't be stored now, the statistics are of the stored runs.
      await flush().catch(() => undefined);
      const { since, until, bucket, starts, spans } = range;
      const sources = sourcesOf(source ?? (by === "source" ? "all" : "traffic"));
      const scope = { tenant, since, until, agent, model, sources };
      const runs = await addUpRuns(storage, scope, { spans, by });
      // After the sums, so that runs that were deleted meanwhile are known to be missing.
      const keptFrom = await factsKeptFrom(storage);
      const { keys } = runs;
      const byBucket = new Map(runs.buckets(keys));
      await othersTurn();
      return {
        since: since.toISOString(),
        until: until.toISOString(),
        counted_from: (keptFrom !== undefined && keptFrom > since ? keptFrom : since).toISOString(),
        bucket,
        total: figuresOf(runs.total(keys)),
        buckets: starts.map((_, at) => bucketAt(range, at, byBucket.get(at))),
        ...(by === undefined ? {} : { groups: await groupsOf(runs, range) }),
      };
    },
  };
}

async function groupsOf(runs: SummedRuns, range: Range): Promise<RunGroup[]> {
  const { keys } = runs;
  const [named, rest] = [keys.slice(0, groupsNamed), keys.slice(groupsNamed)];
  const groups: RunGroup[] = [];
  for (const some of [...named.map((key) => [key]), ...(rest.length > 0 ? [rest] : [])]) {
    await othersTurn();
    groups.push({
      ...(some !== rest && { key: some[0] ?? "" }),
      total: figuresOf(runs.total(some)),
      buckets: runs.buckets(some).map(([at, figures]) => bucketAt(range, at, figures)),
    });
  }
  return groups;
}

interface Range {
  since: Date;
  until: Date;
  bucket: BucketLength;
  /** Starts of the buckets, in ms. */
  starts: readonly number[];
  spans: readonly BucketSpan[];
}

function rangeOf({ since, until, bucket, time_zone }: RunStatsQuery, now: Date): Range {
  const offsetAt = readTimeZone(time_zone);
  const to = readInstant("until", until) ?? now;
  const from = readInstant("since", since) ?? new Date(to.getTime() - dayMs);
  if (from >= to) throw invalid("since", `must be before until, which is ${to.toISOString()}`);
  const lengths = Object.keys(bucketLengths) as BucketLength[];
  const fits = (length: BucketLength, most: number) =>
    bucketsIn({ since: from, until: to, bucket: length }) <= most;
  const usual = lengths.find((length) => fits(length, bucketsUsual)) ?? "1d";
  const chosen = bucket ?? usual;
  if (!fits(chosen, bucketsMax)) {
    const longer = lengths.find((length) => fits(length, bucketsMax));
    const advice = longer === undefined ? "choose a shorter range" : `choose ${longer} or longer`;
    const buckets = bucketsIn({ since: from, until: to, bucket: chosen });
    throw invalid(
      "bucket",
      `must divide the range into at most ${bucketsMax} buckets, got ${buckets}: ${advice}`,
    );
  }
  if (offsetAt !== undefined && from.getTime() < 0) throw invalid("since", "must be 1970 or later");
  const starts = bucketStarts({ since: from, until: to, bucket: chosen }, offsetAt);
  return { since: from, until: to, bucket: chosen, starts, spans: spansOf(starts, to) };
}

function invalid(path: string, message: string): AppError {
  return new AppError("invalid", "invalid_request", `The query is not valid: ${path} ${message}.`, {
    details: { problems: [{ path, message }] },
  });
}

function bucketAt({ starts, since }: Range, at: number, row: SummedFigures | undefined): RunBucket {
  return {
    start: new Date(starts[at] ?? since).toISOString(),
    ...figuresOf(row),
  };
}

function figuresOf(row: SummedFigures | undefined): RunFigures {
  if (row === undefined)
    return { runs: 0, errors: 0, input_tokens: 0, output_tokens: 0, cost_usd: 0, unpriced_calls: 0 };
  return {
    runs: row.runs,
    errors: row.errors,
    p50_ms: row.p50Ms,
    p95_ms: row.p95Ms,
    input_tokens: row.inputTokens,
    output_tokens: row.outputTokens,
    cost_usd: usdOfMicros(row.costMicros),
    unpriced_calls: row.unpricedCalls,
  };
}
