import { AppError } from "../app-error.ts";

export interface AdmissionGateLimits {
  inFlightMax: number;
  waitingMax: number;
  /** Value of `Retry-After` for a refused caller. */
  retryAfterSeconds?: number;
}

interface Waiter {
  admit: () => void;
}

/** Admits a bounded number at once and queues a bounded number in order of arrival. Refuses the rest with `too_busy`. */
export class AdmissionGate {
  readonly #limits: AdmissionGateLimits;
  /** In order of arrival. A set, so that removing a waiter that gives up needs no search. */
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
   * Resolves, when there is room, with the function that releases the place (a second call does nothing). Rejects with the signal's reason
   * if it aborts first, and at once with `too_busy` if the queue is full.
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

  /** Returns the release function. A released place passes straight to the first waiter, so no later arrival can take it. */
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
