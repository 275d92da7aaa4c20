import type { CronPattern } from "./parse-cron.ts";

/*
 * A wall clock shows some times twice when it is set back, and leaves some out when it is set forward. As in Vixie's cron:
 * - An expression that follows time that passes (hour `*`, with or without a step) fires at each time that the clock shows, twice if it shows it twice.
 * - One with hours of its own fires once a day: at the first of two equal times, and as much later as the clock was set forward if its
 *   time was left out.
 */

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
/** The 29th of February is missing in up to eight years. */
const daysMax = 9 * 366;

/** Offset of a wall clock from UTC at an instant, in ms. */
export type OffsetAt = (instantMs: number) => number;

/** Returns the offset of a time zone of the IANA; undefined if there is no such zone. Keep it: making one takes a tenth of a millisecond. */
export function offsetIn(timeZone: string): OffsetAt | undefined {
  if (timeZone === "UTC") return () => 0;
  const format = formatOf(timeZone);
  if (format === undefined) return undefined;
  return (instantMs) => {
    const wall: Record<string, number> = {};
    for (const { type, value } of format.formatToParts(instantMs)) wall[type] = Number(value);
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = wall;
    return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(instantMs / 1000) * 1000;
  };
}

function formatOf(timeZone: string): Intl.DateTimeFormat | undefined {
  // Offsets such as +02:00 are accepted by Intl, but have no summer time: who writes one may expect it.
  if (!/^[A-Za-z]/.test(timeZone)) return undefined;
  try {
    return new Intl.DateTimeFormat("en-US", {
      timeZone,
      calendar: "iso8601",
      numberingSystem: "latn",
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
  } catch {
    return undefined;
  }
}

/** Returns the first instant after `afterMs` at which the expression fires; undefined if it fires never. */
export function nextInstant(pattern: CronPattern, offsetAt: OffsetAt, afterMs: number): number | undefined {
  const today = startOfDay(afterMs + offsetAt(afterMs));
  // Yesterday too: a time that was left out moves, over midnight in some zones.
  for (let day = -1; day < daysMax; day++) {
    const wallDayMs = today + day * dayMs;
    if (!fitsDay(pattern, wallDayMs)) continue;
    const instant = firstOfDay(pattern, offsetAt, wallDayMs, afterMs);
    if (instant !== undefined) return instant;
  }
  return undefined;
}

const startOfDay = (wallMs: number) => Math.floor(wallMs / dayMs) * dayMs;

function fitsDay({ days, months, weekdays, needsBoth }: CronPattern, wallDayMs: number): boolean {
  const date = new Date(wallDayMs);
  if (!months.has(date.getUTCMonth() + 1)) return false;
  const [fitsDate, fitsWeekday] = [days.has(date.getUTCDate()), weekdays.has(date.getUTCDay())];
  return needsBoth ? fitsDate && fitsWeekday : fitsDate || fitsWeekday;
}

/** Returns the first instant after `afterMs` at which the expression fires on a day of the wall clock. */
function firstOfDay(
  { hours, minutes, isInterval }: CronPattern,
  offsetAt: OffsetAt,
  wallDayMs: number,
  afterMs: number,
): number | undefined {
  const offsets = offsetsOf(offsetAt, wallDayMs);
  let first: number | undefined;
  for (const hour of hours) {
    for (const minute of minutes) {
      const wallMs = wallDayMs + (hour * 60 + minute) * minuteMs;
      for (const instant of instantsOf(wallMs, offsets, offsetAt, isInterval)) {
        if (instant > afterMs && (first === undefined || instant < first)) first = instant;
      }
      // Without a change of the offset, later times of the day are later instants.
      if (first !== undefined && offsets.length === 1) return first;
    }
  }
  return first;
}

/** Offsets of the day and its surroundings, the earliest first. */
function offsetsOf(offsetAt: OffsetAt, wallDayMs: number): number[] {
  const before = offsetAt(wallDayMs - dayMs);
  const after = offsetAt(wallDayMs + 2 * dayMs);
  return before === after ? [before] : [before, after];
}

/** Instants at which the wall clock shows a time, as the expression counts them. */
function instantsOf(
  wallMs: number,
  offsets: readonly number[],
  offsetAt: OffsetAt,
  isInterval: boolean,
): number[] {
  const [before = 0] = offsets;
  if (offsets.length === 1) return [wallMs - before];
  const instants = offsets
    .map((offset) => ({ offset, instant: wallMs - offset }))
    .filter(({ offset, instant }) => offsetAt(instant) === offset)
    .map(({ instant }) => instant)
    .sort((a, b) => a - b);
  if (isInterval) return instants;
  const [first] = instants;
  return [first ?? wallMs - before];
}
