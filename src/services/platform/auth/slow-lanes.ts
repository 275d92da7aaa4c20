import { AppError } from "../../../kit/app-error.ts";
import type { Clock } from "../../../kit/clock.ts";

/** A queue for attempts on one account or from one address. It admits one attempt every `paceMs`. */
export interface SlowLane {
  key: string;
  paceMs: number;
}

interface Waiter {
  /** Groups of callers, the widest first. */
  from: readonly string[];
  admit: () => void;
  refuse: () => void;
}

interface OpenLane {
  paceMs: number;
  /** Waiting attempts in order of arrival. */
  waiting: Set<Waiter>;
  /** When a group was last admitted, in admissions of the lane. */
  served: Map<string, number>;
}

/** Maximum number of attempts waiting in one lane. A further one replaces the oldest of the group with the most. */
const laneWaitingMax = 4;
/** Maximum number of attempts waiting in all lanes. */
const waitingMax = 512;
const waitMaxMs = 12_000;

/**
 * Slows down attempts instead of refusing them. Groups of callers take turns, and the newest attempt of a group goes first, so a person who
 * comes after many guesses waits for one interval, and isn't pushed out by those of others. Attempts that are replaced, or wait over 12 s,
 * get 429 `too_many_attempts`.
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
  turn({ key, paceMs }: SlowLane, signal?: AbortSignal, from: readonly string[] = []): Promise<void> {
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
        from,
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
      if (lane.waiting.size > laneWaitingMax) oldestOfMost([...lane.waiting])?.refuse();
      if (this.#waiting.size > waitingMax) oldestOfMost([...this.#waiting])?.refuse();
    });
  }

  #lane(key: string, paceMs: number): OpenLane {
    const known = this.#lanes.get(key);
    if (known !== undefined) return known;
    const lane: OpenLane = { paceMs, waiting: new Set(), served: new Map() };
    this.#lanes.set(key, lane);
    this.#schedule(key, lane);
    return lane;
  }

  /** Admits an attempt after each interval, and closes the lane if none is waiting. */
  #schedule(key: string, lane: OpenLane): void {
    this.#clock.timer(lane.paceMs, () => {
      const next = nextInTurn(lane);
      if (next === undefined) {
        this.#lanes.delete(key);
        return;
      }
      next.admit();
      this.#schedule(key, lane);
    });
  }
}

const levelsOf = (waiting: readonly Waiter[]) => Math.max(0, ...waiting.map(({ from }) => from.length));
const groupAt = ({ from }: Waiter, level: number) => JSON.stringify(from.slice(0, level + 1));

/** The oldest attempt of the largest group, and within it of the largest part. Attempts are in order of arrival. */
function oldestOfMost(waiting: readonly Waiter[]): Waiter | undefined {
  let most = waiting;
  for (let level = 0; level < levelsOf(waiting); level++) {
    const groups = [...Map.groupBy(most, (waiter) => groupAt(waiter, level)).values()];
    most = groups.reduce((larger, group) => (group.length > larger.length ? group : larger));
  }
  return most[0];
}

/** The newest attempt of the group that was served the longest ago; of several such groups, that of the newest attempt. */
function nextInTurn({ waiting, served }: OpenLane): Waiter | undefined {
  let candidates = [...waiting].toReversed();
  for (let level = 0; level < levelsOf(candidates); level++) {
    const groups = [...Map.groupBy(candidates, (waiter) => groupAt(waiter, level))];
    const [, chosen] = groups.reduce((first, group) =>
      (served.get(group[0]) ?? 0) < (served.get(first[0]) ?? 0) ? group : first,
    );
    candidates = chosen;
  }
  const [next] = candidates;
  if (next === undefined) return undefined;
  const turn = served.size === 0 ? 1 : Math.max(...served.values()) + 1;
  // A caller without a proxy may claim a thousand addresses.
  if (served.size > groupsKeptMax) served.clear();
  for (let level = 0; level < next.from.length; level++) served.set(groupAt(next, level), turn);
  return next;
}

const groupsKeptMax = 256;

const tooMany = (paceMs: number) =>
  new AppError(
    "rate_limited",
    "too_many_attempts",
    "Too many sign-ins failed for this account or from this address; try again in a few seconds.",
    { details: { retryAfterSeconds: Math.ceil(paceMs / 1000) } },
  );
