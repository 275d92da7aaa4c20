import type { Clock } from "../../kit/clock.ts";

/** Upper limit of a requested wait. */
const waitMsMax = 600_000;

/** The wait that a server requests, in milliseconds; undefined if the answer has none. */
export function requestedWaitMs(headers: Headers, clock: Clock): number | undefined {
  const exact = Number(headers.get("retry-after-ms") ?? Number.NaN);
  if (exact >= 0) return Math.min(exact, waitMsMax);
  const after = headers.get("retry-after")?.trim();
  if (after !== undefined) {
    const isSeconds = /^\d+(?:\.\d+)?$/.test(after);
    // Date.parse is slow for invalid dates.
    const date = /^[a-z]{3}/i.test(after) ? Date.parse(after) : Number.NaN;
    const ms = isSeconds ? Number(after) * 1000 : date - clock.now().getTime();
    if (!Number.isNaN(ms)) return Math.min(Math.max(0, ms), waitMsMax);
  }
  return exhaustedMs(headers);
}

/** Time until an exhausted limit resets, from the headers of OpenAI's API; undefined if no limit is exhausted. */
export function exhaustedMs(headers: Headers): number | undefined {
  let waitMs: number | undefined;
  for (const what of ["requests", "tokens"]) {
    if (headers.get(`x-ratelimit-remaining-${what}`)?.trim() !== "0") continue;
    const resetMs = durationMs(headers.get(`x-ratelimit-reset-${what}`) ?? "");
    if (resetMs !== undefined) waitMs = Math.min(Math.max(waitMs ?? 0, resetMs), waitMsMax);
  }
  return waitMs;
}

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Parses `6m0s`, `120ms`, `1.5s`; a bare number is seconds. */
function durationMs(written: string): number | undefined {
  const text = written.trim();
  if (/^\d+(?:\.\d+)?$/.test(text)) return Number(text) * 1000;
  if (!/^(?:\d+(?:\.\d+)?(?:ms|[smhd]))+$/.test(text)) return undefined;
  let ms = 0;
  for (const [, number, unit = "s"] of text.matchAll(/(\d+(?:\.\d+)?)(ms|[smhd])/g)) {
    ms += Number(number) * (unitMs[unit] ?? 0);
  }
  return ms;
}
