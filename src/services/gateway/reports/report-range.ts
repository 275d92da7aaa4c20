import type { ReportQuery } from "../../../contracts/gateway/reports.ts";
import { readTimeZone } from "../../../http/read-time-zone.ts";
import { AppError } from "../../../kit/app-error.ts";
import { localDayAt, localDayStart } from "../../../kit/cron/local-days.ts";

const dayMs = 24 * 60 * 60_000;
const daysUsual = 7;
export const reportDaysMax = 366;

/** Days of a report, in a person's time zone. */
export interface ReportRange {
  timeZone: string;
  /** `YYYY-MM-DD` of each day. */
  dates: readonly string[];
  /** Starts of the days in ms, and the end of the last. */
  bounds: readonly number[];
}

/** Reads the days of a report. Throws 400. */
export function reportRange(
  { from, to, time_zone: timeZone = "UTC" }: Pick<ReportQuery, "from" | "to" | "time_zone">,
  now: Date,
): ReportRange {
  const offsetAt = readTimeZone(timeZone) ?? (() => 0);
  const last = to === undefined ? localDayAt(offsetAt, now.getTime()) : dayOf("to", to);
  const first = from === undefined ? last - daysUsual + 1 : dayOf("from", from);
  if (first > last) throw invalid("from", `must not be after to, which is ${dateOf(last)}`);
  const count = last - first + 1;
  if (count > reportDaysMax)
    throw invalid("from", `must be at most ${reportDaysMax} days before to, got ${count}`);
  const days = Array.from({ length: count }, (_, at) => first + at);
  return {
    timeZone,
    dates: days.map(dateOf),
    bounds: [...days, last + 1].map((day) => localDayStart(offsetAt, day)),
  };
}

const dateOf = (day: number): string => new Date(day * dayMs).toISOString().slice(0, 10);

function dayOf(name: string, text: string): number {
  const ms = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  // `2026-02-30` is read as a day of March.
  if (Number.isNaN(ms) || dateOf(ms / dayMs) !== text || text < "1970-01-02")
    throw invalid(name, "must be a day from 1970 on, such as 2026-03-29");
  return ms / dayMs;
}

function invalid(path: string, message: string): AppError {
  return new AppError("invalid", "invalid_request", `The query is not valid: ${path} ${message}.`, {
    details: { problems: [{ path, message }] },
  });
}
