import { AppError } from "./app-error.ts";

export interface AdmissionGateLimits {
  inFlightMax: number;
  waitingMax: number;
  /** What a refused caller is told to wait. */
  retryAfterSeconds?: number;
}

interface Waiter {
  admit: () => void;
}

/** Lets a bounded number in at once and a bounded number wait, first come first served; the rest are `too_busy`. */
export class AdmissionGate {
  readonly #limits: AdmissionGateLimits;
  /** In order of arrival; a set, so that one who gives up leaves without a search. */
  readonly #waiters = new Set<Waiter>();
  #inFlight = 0;

  constructor(limits: AdmissionGateLimits) {
    this.#limits = limits;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  get waiting(): number {
    return this.#waiters.size;
  }

  /**
   * Resolves, when there is room, with the function that gives the place back (calling it again does nothing). Rejects
   * with the signal's reason when it aborts first, and with `too_busy` at once when as many wait as may.
   */
  enter(signal?: AbortSignal): Promise<() => void> {
    // An exception thrown in here rejects the promise.
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      if (this.#inFlight < this.#limits.inFlightMax) {
        this.#inFlight++;
        resolve(this.#release());
        return;
      }
      if (this.#waiters.size >= this.#limits.waitingMax) throw this.#tooBusy();
      const onAbort = () => {
        this.#waiters.delete(waiter);
        reject(signal?.reason);
      };
      const waiter = {
        admit: () => {
          signal?.removeEventListener("abort", onAbort);
          resolve(this.#release());
        },
      };
      signal?.addEventListener("abort", onAbort, { once: true });
      this.#waiters.add(waiter);
    });
  }

  /** A place given back passes straight to the first in the queue, so nobody who comes later can take it. */
  #release(): () => void {
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      const [first] = this.#waiters;
      if (first === undefined) {
        this.#inFlight--;
        return;
      }
      this.#waiters.delete(first);
      first.admit();
    };
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
