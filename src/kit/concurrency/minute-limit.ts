import { AppError } from "../app-error.ts";
import type { Clock } from "../clock.ts";

interface Window {
  count: number;
  endsAtMs: number;
}

/** Limit for the calls of each key in a minute that begins with the first of them. It holds for one process. */
export class MinuteLimit {
  readonly #clock: Clock;
  readonly #max: number;
  readonly #what: string;
  /** In order of their beginning, which is the order of their end. */
  readonly #windows = new Map<string, Window>();

  /** `what` names the calls in the error, such as "messages". */
  constructor(clock: Clock, max: number, what: string) {
    this.#clock = clock;
    this.#max = max;
    this.#what = what;
  }

  /** Counts one call. Throws `rate_limited` (429) beyond the limit. */
  take(key: string): void {
    const nowMs = this.#clock.monotonicMs();
    for (const [old, { endsAtMs }] of this.#windows) {
      if (endsAtMs > nowMs && this.#windows.size < keysMax) break;
      this.#windows.delete(old);
    }
    const window = this.#windows.get(key) ?? { count: 0, endsAtMs: nowMs + minuteMs };
    if (window.count >= this.#max) throw tooMany(this.#what, (window.endsAtMs - nowMs) / 1000);
    window.count++;
    this.#windows.set(key, window);
  }
}

const minuteMs = 60_000;
/** Maximum keys whose calls are counted at a time; beyond it, the oldest counts are dropped. */
const keysMax = 100_000;

/** Returns the error for a caller beyond a limit. */
export const tooMany = (what: string, retryAfterSeconds: number) =>
  new AppError("rate_limited", "rate_limited", `Too many ${what}; wait and try again.`, {
    details: { retryAfterSeconds },
  });
