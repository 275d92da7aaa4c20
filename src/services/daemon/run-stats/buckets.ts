import { type BucketLength, bucketLengths } from "../../../contracts/daemon/runs/run-stats.ts";
import { localDayAt, localDayStart, localDayStarts } from "../../../kit/cron/local-days.ts";
import type { OffsetAt } from "../../../kit/cron/next-instant.ts";
import type { BucketSpan } from "./stats-store.ts";

interface Range {
  since: Date;
  until: Date;
  bucket: BucketLength;
}

/** Starts of the buckets of a range, in ms. With the offsets of a time zone, days and their quarters are those of its clock. */
export function bucketStarts({ since, until, bucket }: Range, offsetAt: OffsetAt | undefined): number[] {
  const [sinceMs, untilMs] = [since.getTime(), until.getTime()];
  if (offsetAt !== undefined && (bucket === "1d" || bucket === "6h")) {
    const days = localDayStarts(offsetAt, sinceMs, untilMs);
    return bucket === "1d" ? days : days.flatMap((start) => quartersOf(start, untilMs, offsetAt));
  }
  const count = bucketsIn({ since, until, bucket });
  return Array.from({ length: count }, (_, at) => sinceMs + at * bucketLengths[bucket]);
}

/** A day's start and its later quarters, counted back from its end: clocks change in the first quarter, which is longer or shorter then. */
function quartersOf(startMs: number, untilMs: number, offsetAt: OffsetAt): number[] {
  const endMs = localDayStart(offsetAt, localDayAt(offsetAt, startMs) + 1);
  const later = [3, 2, 1].map((quarters) => endMs - quarters * bucketLengths["6h"]);
  return [startMs, ...later.filter((at) => at > startMs && at < untilMs)];
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
