import { AppError } from "../app-error.ts";
import type { Clock } from "../clock.ts";
import { leavesRoom } from "./owner-places.ts";

interface Window {
  count: number;
  /** Calls by their callers, if these are named. */
  byCaller: Map<string, number>;
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

  /**
   * Counts one call. Throws `rate_limited` (429) beyond the limit. A caller that is named gets another one only while as many as it has had
   * remain for the others.
   */
  take(key: string, caller?: string): void {
    const nowMs = this.#clock.monotonicMs();
    for (const [old, { endsAtMs }] of this.#windows) {
      if (endsAtMs > nowMs && this.#windows.size < keysMax) break;
      this.#windows.delete(old);
    }
    const window = this.#windows.get(key) ?? { count: 0, byCaller: new Map(), endsAtMs: nowMs + minuteMs };
    const own = caller === undefined ? 0 : (window.byCaller.get(caller) ?? 0);
    if (!leavesRoom(own, this.#max - window.count))
      throw tooMany(this.#what, (window.endsAtMs - nowMs) / 1000);
    window.count++;
    if (caller !== undefined) window.byCaller.set(caller, own + 1);
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
