import type { Clock } from "../../kit/clock.ts";

export interface RateLimitRule {
  callsMax: number;
  windowMs: number;
}

/** Milliseconds until the next call may be admitted; undefined if this one is. */
type Admission = number | undefined;

/** Admits calls per scope. */
export interface ToolRateLimit {
  admit(scope: string): Admission | Promise<Admission>;
}

/** Sliding windows that several processes share. Never rejects: without their store no call is admitted. */
export interface SharedWindows {
  admit(scope: string, rule: RateLimitRule): Promise<Admission>;
}

/** The limit of an entry: over all processes that share windows, or else of this one. */
export const rateLimitOf = (
  rule: RateLimitRule,
  clock: Clock,
  shared: SharedWindows | undefined,
): ToolRateLimit =>
  shared === undefined ? createRateLimit(rule, clock) : { admit: (scope) => shared.admit(scope, rule) };

/** Number of scopes above which expired ones are removed. */
const scopesMax = 10_000;

/** A sliding window: at most `callsMax` calls in any `windowMs`. */
export function createRateLimit(
  { callsMax, windowMs }: RateLimitRule,
  clock: Clock,
): { admit(scope: string): Admission } {
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
