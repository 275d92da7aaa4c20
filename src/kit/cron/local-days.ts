import type { OffsetAt } from "./next-instant.ts";

/*
 * Days of a wall clock. When the clock is set back or forward they have 23, 25 or other numbers of hours, a day may begin after midnight,
 * and where a zone crossed the date line a day is missing.
 */

const dayMs = 24 * 60 * 60_000;

/** Number of the wall clock's day at an instant, since 1970. */
export const localDayAt = (offsetAt: OffsetAt, instantMs: number): number =>
  Math.floor((instantMs + offsetAt(instantMs)) / dayMs);

/** First instant of a day of the wall clock; of the next one if the day is missing. */
export function localDayStart(offsetAt: OffsetAt, day: number): number {
  const wallMs = day * dayMs;
  const offset = offsetAt(wallMs - offsetAt(wallMs));
  const start = wallMs - offset;
  if (offsetAt(start) === offset && offsetAt(start - 1) === offset) return start;
  // The clock changes at midnight.
  let [before, from] = [wallMs - 2 * dayMs, wallMs + 2 * dayMs];
  while (from - before > 1) {
    const middle = Math.floor((before + from) / 2);
    if (localDayAt(offsetAt, middle) < day) before = middle;
    else from = middle;
  }
  return from;
}

/** Start of a range, and the start of each later day in it. */
export function localDayStarts(offsetAt: OffsetAt, sinceMs: number, untilMs: number): number[] {
  const starts = [sinceMs];
  let last = sinceMs;
  for (let day = localDayAt(offsetAt, sinceMs) + 1; ; day++) {
    const start = localDayStart(offsetAt, day);
    if (start >= untilMs) return starts;
    if (start > last) starts.push(start);
    last = start;
  }
}
