import { type BucketLength, bucketLengths } from "../../../contracts/daemon/runs/run-stats.ts";
import { localDayStarts } from "../../../kit/cron/local-days.ts";
import type { OffsetAt } from "../../../kit/cron/next-instant.ts";
import type { BucketSpan } from "./stats-store.ts";

interface Range {
  since: Date;
  until: Date;
  bucket: BucketLength;
}

/** Starts of the buckets of a range, in ms. With the offsets of a time zone, days begin at midnight there. */
export function bucketStarts({ since, until, bucket }: Range, offsetAt: OffsetAt | undefined): number[] {
  const sinceMs = since.getTime();
  if (bucket === "1d" && offsetAt !== undefined) return localDayStarts(offsetAt, sinceMs, until.getTime());
  const count = bucketsIn({ since, until, bucket });
  return Array.from({ length: count }, (_, at) => sinceMs + at * bucketLengths[bucket]);
}

export const bucketsIn = ({ since, until, bucket }: Range): number =>
  Math.ceil((until.getTime() - since.getTime()) / bucketLengths[bucket]);

/** Joins neighbours of equal length: a year of days has few spans, which the database can search fast. */
export function spansOf(starts: readonly number[], until: Date): BucketSpan[] {
  const spans: BucketSpan[] = [];
  for (const [first, startMs] of starts.entries()) {
    const lengthMs = (starts[first + 1] ?? until.getTime()) - startMs;
    if (spans.at(-1)?.lengthMs !== lengthMs) spans.push({ first, startMs, lengthMs });
  }
  return spans;
}
