import type { BucketLength, RunStatsQuery } from "../../../contracts/daemon/runs/run-stats.ts";

const minuteMs = 60_000;

/** Ranges that end now. Each has whole buckets; days begin at local midnight. */
const presets: Readonly<Record<string, { bucket: BucketLength; start: (now: Date) => Date }>> = {
  "1h": { bucket: "1m", start: (now) => startOfStep(now, minuteMs, 59) },
  "24h": { bucket: "30m", start: (now) => startOfStep(now, 30 * minuteMs, 47) },
  "7d": { bucket: "6h", start: (now) => midnight(now, -6) },
  "30d": { bucket: "1d", start: (now) => midnight(now, -29) },
};
export const rangeNames: readonly string[] = [...Object.keys(presets), "own"];

/** The range in the address: a preset, or days from `from` to `to`. */
export interface DashboardRange {
  range: string;
  from: string;
  to: string;
}

/** Returns the range of a query; undefined if the chosen days are incomplete or in the wrong order. */
export function rangeQuery(
  { range, from, to }: DashboardRange,
  now: Date,
): Pick<RunStatsQuery, "since" | "until" | "bucket"> | undefined {
  if (range === "own") {
    const [first, last] = [localDay(from), localDay(to)];
    if (first === undefined || last === undefined || first > last) return undefined;
    return { since: first.toISOString(), until: midnight(last, 1).toISOString() };
  }
  const { bucket, start } = (Object.hasOwn(presets, range) ? presets[range] : undefined) ?? dayPreset;
  return { since: start(now).toISOString(), until: now.toISOString(), bucket };
}

const dayPreset = { bucket: "30m", start: (now: Date) => startOfStep(now, 30 * minuteMs, 47) } as const;

/** Start of the step that contains the instant, and `back` steps earlier. */
const startOfStep = (now: Date, stepMs: number, back: number): Date =>
  new Date((Math.floor(now.getTime() / stepMs) - back) * stepMs);

/** Local midnight, `days` after the day of the instant. */
const midnight = (at: Date, days: number): Date =>
  new Date(at.getFullYear(), at.getMonth(), at.getDate() + days);

function localDay(text: string): Date | undefined {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (match === null) return undefined;
  const [year = 0, month = 0, day = 0] = match.slice(1).map(Number);
  const at = new Date(year, month - 1, day);
  return at.getMonth() === month - 1 && at.getDate() === day ? at : undefined;
}

/** Formats a day as the value of a date field. */
export function dayText(at: Date): string {
  const two = (value: number) => String(value).padStart(2, "0");
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}
