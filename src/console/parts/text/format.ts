import { locale } from "./locale.ts";

const number = new Intl.NumberFormat(locale);
const compact = new Intl.NumberFormat(locale, { notation: "compact", maximumFractionDigits: 1 });
const percent = new Intl.NumberFormat(locale, { style: "percent", maximumFractionDigits: 1 });
const dateTime = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "medium" });
const date = new Intl.DateTimeFormat(locale, { dateStyle: "medium" });
const day = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeZone: "UTC" });
const shortDay = new Intl.DateTimeFormat(locale, { day: "numeric", month: "short", timeZone: "UTC" });
const time = new Intl.DateTimeFormat(locale, { timeStyle: "short" });
const relative = new Intl.RelativeTimeFormat(locale, { numeric: "auto", style: "short" });

export const formatNumber = (value: number): string => number.format(value);

/** Formats a number with exactly so many decimals. */
export const formatFixed = (value: number, digits: number): string =>
  new Intl.NumberFormat(locale, { minimumFractionDigits: digits, maximumFractionDigits: digits }).format(
    value,
  );

/** Formats 12345 as 12.3k. */
export const formatCompact = (value: number): string => compact.format(value);

/** Formats 0.5 as 50%. */
export const formatPercent = (share: number): string => percent.format(share);

/** Formats an ISO 8601 instant. */
export const formatInstant = (iso: string): string => dateTime.format(new Date(iso));

/** Formats only the time of day. */
export const formatTime = (iso: string): string => time.format(new Date(iso));

/** Formats the day of an instant in the browser's time zone. */
export const formatDate = (iso: string): string => date.format(new Date(iso));

/** Formats a day in UTC, `YYYY-MM-DD`: the same day in every time zone. */
export const formatDay = (utcDay: string): string => day.format(new Date(utcDay));

/** Like `formatDay`, without the year. Also accepts the first instant of the day. */
export const formatShortDay = (utcDay: string): string => shortDay.format(new Date(utcDay));

const steps: readonly [unit: Intl.RelativeTimeFormatUnit, seconds: number, next: number][] = [
  ["second", 1, 60],
  ["minute", 60, 60],
  ["hour", 3_600, 24],
  ["day", 86_400, Number.POSITIVE_INFINITY],
];

/** Formats an instant as "5 min. ago", beyond a week as a date. The unit follows from the rounded value, so 59.7 min is 1 hr. */
export function formatAgo(iso: string, nowMs: number): string {
  const seconds = (Date.parse(iso) - nowMs) / 1000;
  if (Math.abs(seconds) > 7 * 86_400) return formatDate(iso);
  for (const [unit, size, next] of steps) {
    const value = Math.round(seconds / size);
    if (Math.abs(value) < next) return relative.format(value, unit);
  }
  return formatDate(iso);
}

/** Formats 1532 as 1.53 s, 240 as 240 ms. The unit follows from the rounded value, so 999.6 is 1 s. */
export function formatDuration(ms: number): string {
  if (ms < 1) return `${fixed(ms, 2)} ms`;
  if (Math.round(ms) < 1000) return `${fixed(ms, ms < 10 ? 1 : 0)} ms`;
  if (Math.round(ms / 10) < 6_000) return `${fixed(ms / 1000, 2)} s`;
  const seconds = Math.round(ms / 1000);
  return `${number.format(Math.floor(seconds / 60))} min ${seconds % 60} s`;
}

const decimals = [0, 1, 2].map((most) => new Intl.NumberFormat(locale, { maximumFractionDigits: most }));
const fixed = (value: number, digits: 0 | 1 | 2): string => decimals[digits]?.format(value) ?? "";

const sizes = ["B", "KiB", "MiB", "GiB", "TiB"] as const;

/** Formats 1536 as 1.5 KiB. The unit follows from the rounded value. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let at = 0;
  while (Math.round(value * 10) >= 10_240 && at < sizes.length - 1) {
    value /= 1024;
    at++;
  }
  return `${fixed(value, at === 0 ? 0 : 1)} ${sizes[at]}`;
}
