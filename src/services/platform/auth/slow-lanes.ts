import { AppError } from "../../../kit/app-error.ts";
import type { Clock } from "../../../kit/clock.ts";

/** A queue for attempts on one account or from one address. It admits one attempt every `paceMs`. */
export interface SlowLane {
  key: string;
  paceMs: number;
}

interface Waiter {
  admit: () => void;
  refuse: () => void;
}

interface OpenLane {
  paceMs: number;
  /** Waiting attempts in order of arrival. */
  waiting: Set<Waiter>;
}

/** Maximum number of attempts waiting in one lane. A further one replaces the one that has waited longest. */
const laneWaitingMax = 4;
/** Maximum number of attempts waiting in all lanes. */
const waitingMax = 512;
const waitMaxMs = 12_000;

/**
 * Slows down attempts instead of refusing them. The newest attempt in a lane goes first, so a person who comes after many guesses waits for
 * one interval. Attempts that are replaced, or wait over 12 s, get 429 `too_many_attempts`.
 */
export class SlowLanes {
  readonly #clock: Clock;
  readonly #lanes = new Map<string, OpenLane>();
  /** Waiting attempts of all lanes, in order of arrival. */
  readonly #waiting = new Set<Waiter>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Number of waiting attempts. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Resolves at this attempt's turn. Rejects with `too_many_attempts` or with the signal's reason. */
  turn({ key, paceMs }: SlowLane, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const lane = this.#lane(key, paceMs);
      const leave = () => {
        cancel();
        signal?.removeEventListener("abort", abort);
        lane.waiting.delete(waiter);
        this.#waiting.delete(waiter);
      };
      const waiter: Waiter = {
        admit() {
          leave();
          resolve();
        },
        refuse() {
          leave();
          reject(tooMany(paceMs));
        },
      };
      const abort = () => {
        leave();
        reject(signal?.reason);
      };
      const cancel = this.#clock.timer(waitMaxMs, waiter.refuse);
      signal?.addEventListener("abort", abort, { once: true });
      lane.waiting.add(waiter);
      this.#waiting.add(waiter);
      if (lane.waiting.size > laneWaitingMax) oldest(lane.waiting)?.refuse();
      if (this.#waiting.size > waitingMax) oldest(this.#waiting)?.refuse();
    });
  }

  #lane(key: string, paceMs: number): OpenLane {
    const known = this.#lanes.get(key);
    if (known !== undefined) return known;
    const lane: OpenLane = { paceMs, waiting: new Set() };
    this.#lanes.set(key, lane);
    this.#schedule(key, lane);
    return lane;
  }

  /** Admits the newest attempt after each interval, and closes the lane if none is waiting. */
  #schedule(key: string, lane: OpenLane): void {
    this.#clock.timer(lane.paceMs, () => {
      const newest = [...lane.waiting].at(-1);
      if (newest === undefined) {
        this.#lanes.delete(key);
        return;
      }
      newest.admit();
      this.#schedule(key, lane);
    });
  }
}

const oldest = (waiting: ReadonlySet<Waiter>): Waiter | undefined => waiting.values().next().value;

const tooMany = (paceMs: number) =>
  new AppError(
    "rate_limited",
    "too_many_attempts",
    "Too many sign-ins failed for this account or from this address; try again in a few seconds.",
    { details: { retryAfterSeconds: Math.ceil(paceMs / 1000) } },
  );
