/** All formats use the browser's language. */
const number = new Intl.NumberFormat();
const compact = new Intl.NumberFormat(undefined, { notation: "compact", maximumFractionDigits: 1 });
const percent = new Intl.NumberFormat(undefined, { style: "percent", maximumFractionDigits: 1 });
const dateTime = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });
const date = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });
const time = new Intl.DateTimeFormat(undefined, { timeStyle: "short" });
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: "auto", style: "short" });

export const formatNumber = (value: number): string => number.format(value);

/** Formats 12345 as 12.3K. */
export const formatCompact = (value: number): string => compact.format(value);

/** Formats 0.5 as 50%. */
export const formatPercent = (share: number): string => percent.format(share);

/** Formats an ISO 8601 instant. */
export const formatInstant = (iso: string): string => dateTime.format(new Date(iso));

/** Formats only the time of day. */
export const formatTime = (iso: string): string => time.format(new Date(iso));

export const formatDate = (iso: string): string => date.format(new Date(iso));

const steps: readonly [unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];

/** Formats an instant as "5 min. ago", beyond a week as a date. */
export function formatAgo(iso: string, nowMs: number): string {
  const seconds = (Date.parse(iso) - nowMs) / 1000;
  if (Math.abs(seconds) > 7 * 86_400) return formatDate(iso);
  for (const [unit, size] of steps) {
    if (Math.abs(seconds) >= size) return relative.format(Math.round(seconds / size), unit);
  }
  return relative.format(Math.round(seconds), "second");
}

/** Formats 1532 as 1.53 s, 240 as 240 ms. */
export function formatDuration(ms: number): string {
  if (ms < 1) return `${fixed(ms, 2)} ms`;
  if (ms < 1000) return `${fixed(ms, ms < 10 ? 1 : 0)} ms`;
  if (ms < 60_000) return `${fixed(ms / 1000, 2)} s`;
  const minutes = Math.floor(ms / 60_000);
  return `${number.format(minutes)} min ${fixed((ms % 60_000) / 1000, 0)} s`;
}

const fixed = (value: number, digits: number): string =>
  new Intl.NumberFormat(undefined, { maximumFractionDigits: digits }).format(value);

const sizes = ["B", "KiB", "MiB", "GiB", "TiB"] as const;

export function formatBytes(bytes: number): string {
  let value = bytes;
  let at = 0;
  while (value >= 1024 && at < sizes.length - 1) {
    value /= 1024;
    at++;
  }
  return `${fixed(value, at === 0 ? 0 : 1)} ${sizes[at]}`;
}

/** Formats US dollars; amounts below one cent have up to six decimals. */
export function formatUsd(usd: number): string {
  const digits = usd !== 0 && Math.abs(usd) < 0.01 ? 6 : 2;
  return new Intl.NumberFormat(undefined, {
    style: "currency",
    currency: "USD",
    // "$" as on statements: without it, a British browser shows "US$" for some amounts of a page and "$" for others.
    currencyDisplay: "narrowSymbol",
    minimumFractionDigits: 2,
    maximumFractionDigits: digits,
  }).format(usd);
}

/** Formats integer micros of US dollars. */
export const formatMicrosUsd = (micros: number): string => formatUsd(micros / 1e6);

/** Formats integer micros of credits: 2500000 as 2.5. */
export const formatCredits = (micros: number): string =>
  new Intl.NumberFormat(undefined, { maximumFractionDigits: 6 }).format(micros / 1e6);
