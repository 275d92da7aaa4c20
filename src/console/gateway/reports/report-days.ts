/** The days of a report: the last ones of a range, or own ones. */
export interface ReportDays {
  from: string;
  to: string;
}

export const reportRanges = [7, 30, 90] as const;

const dayMs = 24 * 60 * 60_000;

/** Returns the last days, today included, as the person's clock has them. */
export function lastDays(count: number, now: Date): ReportDays {
  return { from: dayOf(new Date(now.getTime() - (count - 1) * dayMs)), to: dayOf(now) };
}

const two = (value: number) => String(value).padStart(2, "0");
const dayOf = (at: Date) => `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;

/** Formats seconds of waiting: below a minute in seconds, then minutes, hours and days with one smaller unit. */
export function formatWait(seconds: number): string {
  if (seconds < 59.5) return `${Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
  const wholeHours = Math.round(minutes / 60);
  const days = Math.floor(wholeHours / 24);
  return wholeHours % 24 === 0 ? `${days} d` : `${days} d ${wholeHours % 24} h`;
}
