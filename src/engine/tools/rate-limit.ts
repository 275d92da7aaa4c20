import type { Clock } from "../../kit/clock.ts";

export interface RateLimitRule {
  callsMax: number;
  windowMs: number;
}

/** Admits calls per scope. Returns undefined if a call is admitted, else the milliseconds until the next one may be. */
export interface RateLimit {
  admit(scope: string): number | undefined;
}

/** Number of scopes above which expired ones are removed. */
const scopesMax = 10_000;

/** A sliding window: at most `callsMax` calls in any `windowMs`. */
export function createRateLimit({ callsMax, windowMs }: RateLimitRule, clock: Clock): RateLimit {
  /** Instants of the calls admitted in the window, oldest first. */
  const calls = new Map<string, number[]>();
  const forgetOld = (nowMs: number) => {
    for (const [scope, instants] of calls) {
      if ((instants.at(-1) ?? 0) <= nowMs - windowMs) calls.delete(scope);
    }
  };
  return {
    admit(scope) {
      const nowMs = clock.monotonicMs();
      const instants = calls.get(scope) ?? [];
      const inWindow = instants.findIndex((instant) => instant > nowMs - windowMs);
      instants.splice(0, inWindow === -1 ? instants.length : inWindow);
      const [oldest] = instants;
      if (oldest !== undefined && instants.length >= callsMax) return oldest + windowMs - nowMs;
      if (calls.size >= scopesMax) forgetOld(nowMs);
      calls.set(scope, instants);
      instants.push(nowMs);
      return undefined;
    },
  };
}
