/**
 * Numbers are written as they are typed and as statements print them, with a point and commas, whatever the browser's language. Dates and
 * times follow that language.
 */
const numbers = "en-GB";
const number = new Intl.NumberFormat(numbers);
const compact = new Intl.NumberFormat(numbers, { notation: "compact", maximumFractionDigits: 1 });
const percent = new Intl.NumberFormat(numbers, { style: "percent", maximumFractionDigits: 1 });
const dateTime = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });
const date = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });
const time = new Intl.DateTimeFormat(undefined, { timeStyle: "short" });
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: "auto", style: "short" });

export const formatNumber = (value: number): string => number.format(value);

/** Formats 12345 as 12.3k. */
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

const decimals = [0, 1, 2].map((most) => new Intl.NumberFormat(numbers, { maximumFractionDigits: most }));
const fixed = (value: number, digits: 0 | 1 | 2): string => decimals[digits]?.format(value) ?? "";

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

const usd = [2, 6].map(
  (most) =>
    new Intl.NumberFormat(numbers, {
      style: "currency",
      currency: "USD",
      // "$" as on statements.
      currencyDisplay: "narrowSymbol",
      minimumFractionDigits: 2,
      maximumFractionDigits: most,
    }),
);

/** Formats US dollars; amounts below one cent have up to six decimals. */
export const formatUsd = (amount: number): string =>
  usd[amount !== 0 && Math.abs(amount) < 0.01 ? 1 : 0]?.format(amount) ?? "";

/** Formats integer micros of US dollars. */
export const formatMicrosUsd = (micros: number): string => formatUsd(micros / 1e6);

const credits = new Intl.NumberFormat(numbers, { maximumFractionDigits: 6 });

/** Formats integer micros of credits: 2500000 as 2.5. */
export const formatCredits = (micros: number): string => credits.format(micros / 1e6);
