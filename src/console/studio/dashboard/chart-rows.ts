import {
  type BucketLength,
  bucketLengths,
  type RunBucket,
  type RunFigures,
  type RunGroup,
  type RunStats,
} from "../../../contracts/daemon/runs/run-stats.ts";
import { locale } from "../../parts/text/locale.ts";

/** A line or a color of a chart. */
export interface ChartSeries {
  name: string;
  label: string;
  color: string;
}

export type ChartRow = Record<string, string | number | null>;

const colors = [
  "sea.6",
  "brass.5",
  "gray.6",
  "sea.3",
  "brass.2",
  "gray.4",
  "sea.8",
  "brass.7",
  "gray.8",
  "sea.1",
  "gray.2",
];

/** Returns a series for each group. Names are numbers, because a group may have any text. */
export function groupSeries(
  groups: readonly RunGroup[],
  labelOf: (group: RunGroup) => string,
): ChartSeries[] {
  return groups.map((group, at) => ({
    name: `group${at}`,
    label: labelOf(group),
    color: colors[at % colors.length] ?? "sea.6",
  }));
}

/**
 * Returns a row for each bucket, also those without runs. `valueOf` gives null where there is nothing to measure. Rows whose runs were
 * deleted have no values, because zero would be wrong.
 */
export function rowsOf(
  { buckets, groups, bucket, counted_from: countedFrom }: RunStats,
  valuesOf: (figures: RunFigures) => Record<string, number | null>,
  groupValue: (figures: RunFigures) => number | null,
): ChartRow[] {
  const format = bucketFormat(bucket);
  const byStart = groups?.map((group) => new Map(group.buckets.map((one) => [one.start, one])));
  return buckets.map((one, at) => {
    const row: ChartRow = { label: format(one.start) };
    const next = buckets[at + 1];
    if (next !== undefined && Date.parse(next.start) <= Date.parse(countedFrom)) return row;
    if (byStart === undefined) return { ...row, ...valuesOf(one) };
    for (const [at, starts] of byStart.entries())
      row[`group${at}`] = groupValue(starts.get(one.start) ?? empty);
    return row;
  });
}

const empty: RunFigures = {
  runs: 0,
  errors: 0,
  input_tokens: 0,
  output_tokens: 0,
  cost_usd: 0,
  unpriced_calls: 0,
};

/** A period, or a group in a period, that has runs. */
export interface Period {
  id: string;
  bucket: RunBucket;
  group: RunGroup | undefined;
}

/** Returns the periods with runs, newest first. */
export function periodsOf({ buckets, groups }: RunStats): Period[] {
  const all =
    groups === undefined
      ? buckets.map((bucket) => ({ id: bucket.start, bucket, group: undefined }))
      : groups.flatMap((group, at) =>
          group.buckets.map((bucket) => ({ id: `${bucket.start} ${at}`, bucket, group })),
        );
  return all
    .filter(({ bucket }) => bucket.runs > 0)
    .sort((a, b) => b.bucket.start.localeCompare(a.bucket.start) || b.bucket.runs - a.bucket.runs);
}

/** End of a bucket: the start of the next one, or the end of the range. */
export const bucketEnd = ({ buckets, until }: Pick<RunStats, "buckets" | "until">, start: string): string =>
  buckets.find((bucket) => bucket.start > start)?.start ?? until;

/** Returns a formatter for the starts of buckets: times in a day, times with days, or days. */
export function bucketFormat(bucket: string): (start: string) => string {
  const ms = bucketLengths[bucket as BucketLength] ?? 0;
  const day = { day: "numeric", month: "short" } as const;
  const time = { hour: "2-digit", minute: "2-digit" } as const;
  const form = ms >= bucketLengths["1d"] ? day : ms >= bucketLengths["1h"] ? { ...day, ...time } : time;
  const format = new Intl.DateTimeFormat(locale, form);
  return (start) => format.format(new Date(start));
}
