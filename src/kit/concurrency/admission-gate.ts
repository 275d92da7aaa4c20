import { AppError } from "../app-error.ts";
import { leavesRoom } from "./owner-places.ts";

export interface AdmissionGateLimits {
  inFlightMax: number;
  waitingMax: number;
  /** For work that ends soon: an owner may have every place, because the next one that is free goes to another. */
  isBrief?: boolean;
  /** Value of `Retry-After` for a refused caller. */
  retryAfterSeconds?: number;
}

interface Waiter {
  admit: () => void;
  refuse: () => void;
}

/** The places of one owner. */
interface Share {
  inFlight: number;
  /** In order of arrival. A set, so that removing a waiter that gives up needs no search. */
  waiters: Set<Waiter>;
}

/**
 * Admits a bounded number at once, queues a bounded number, and refuses the rest with `too_busy`. Callers may name an owner. Owners take
 * turns, an owner's callers keep their order, and an owner gets a place only while at least as many as it has remain free. So no
 * owner can keep the others out. Callers without an owner may take every place.
 */
export class AdmissionGate {
  readonly #limits: AdmissionGateLimits;
  /** By owner, those who wait in the order of their turns. An owner without a place and a waiter has none. */
  readonly #shares = new Map<string | undefined, Share>();
  #inFlight = 0;
  #waiting = 0;

  constructor(limits: AdmissionGateLimits) {
    this.#limits = limits;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** Takes a place that is free now, and returns the function that releases it; undefined if the caller would have to wait. */
  tryEnter(owner?: string): (() => void) | undefined {
    const share = this.#shares.get(owner) ?? { inFlight: 0, waiters: new Set<Waiter>() };
    if (share.waiters.size > 0 || !this.#mayEnter(owner, share)) return undefined;
    this.#shares.set(owner, share);
    this.#take(share);
    return this.#release(owner, share);
  }

  /**
   * Resolves, when there is room, with the function that releases the place (a second call does nothing). Rejects with the signal's reason
   * if it aborts first. Rejects with `too_busy` if the queue is full; the owner with the most waiters loses its last one then.
   */
  enter(signal?: AbortSignal, owner?: string): Promise<() => void> {
    // An exception thrown in here rejects the promise.
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const leave = this.tryEnter(owner);
      if (leave !== undefined) {
        resolve(leave);
        return;
      }
      const share = this.#shares.get(owner) ?? { inFlight: 0, waiters: new Set() };
      this.#shares.set(owner, share);
      this.#makeRoom(owner, share);
      const onAbort = () => {
        this.#remove(owner, share, waiter);
        reject(signal?.reason);
      };
      const waiter = {
        admit: () => {
          signal?.removeEventListener("abort", onAbort);
          resolve(this.#release(owner, share));
        },
        refuse: () => {
          signal?.removeEventListener("abort", onAbort);
          reject(this.#tooBusy());
        },
      };
      signal?.addEventListener("abort", onAbort, { once: true });
      share.waiters.add(waiter);
      this.#waiting++;
    });
  }

  #mayEnter(owner: string | undefined, { inFlight }: Share): boolean {
    const free = this.#limits.inFlightMax - this.#inFlight;
    if (free === 0) return false;
    return owner === undefined || this.#limits.isBrief === true || leavesRoom(inFlight, free);
  }

  #take(share: Share): void {
    share.inFlight++;
    this.#inFlight++;
  }

  /** Throws `too_busy` if the queue is full of waiters whose owners have no more than this one would have. */
  #makeRoom(owner: string | undefined, share: Share): void {
    if (this.#waiting < this.#limits.waitingMax) return;
    let [longestOwner, longest] = [owner, share];
    for (const [other, one] of this.#shares) {
      if (one.waiters.size > longest.waiters.size) [longestOwner, longest] = [other, one];
    }
    const last = [...longest.waiters].at(-1);
    if (last === undefined || longest.waiters.size <= share.waiters.size + 1) {
      this.#forget(owner, share);
      throw this.#tooBusy();
    }
    this.#remove(longestOwner, longest, last);
    last.refuse();
  }

  #remove(owner: string | undefined, share: Share, waiter: Waiter): void {
    if (share.waiters.delete(waiter)) this.#waiting--;
    this.#forget(owner, share);
  }

  #forget(owner: string | undefined, { inFlight, waiters }: Share): void {
    if (inFlight === 0 && waiters.size === 0) this.#shares.delete(owner);
  }

  /** Returns the release function. Free places pass straight to the waiters, so no later arrival can take them. */
  #release(owner: string | undefined, share: Share): () => void {
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      share.inFlight--;
      this.#inFlight--;
      this.#forget(owner, share);
      this.#admitWaiters();
    };
  }

  #admitWaiters(): void {
    for (;;) {
      if (this.#waiting === 0) return;
      const next = this.#nextShare();
      if (next === undefined) return;
      const [owner, share] = next;
      const [first] = share.waiters;
      if (first === undefined) return;
      share.waiters.delete(first);
      this.#waiting--;
      this.#take(share);
      // The owner's next waiter queues behind every other owner.
      this.#shares.delete(owner);
      this.#shares.set(owner, share);
      first.admit();
    }
  }

  #nextShare(): [string | undefined, Share] | undefined {
    for (const [owner, share] of this.#shares) {
      if (share.waiters.size > 0 && this.#mayEnter(owner, share)) return [owner, share];
    }
    return undefined;
  }

  #tooBusy(): AppError {
    const { inFlightMax, waitingMax, retryAfterSeconds = 1 } = this.#limits;
    return new AppError(
      "unavailable",
      "too_busy",
      `${inFlightMax} requests are in work and ${waitingMax} wait; try again in a moment.`,
      { details: { retryAfterSeconds } },
    );
  }
}
