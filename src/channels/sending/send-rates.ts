import type { MessagePart } from "./outgoing-message.ts";

/** Calls that a provider takes: at once after a pause, and a second in the long run. */
export interface SendRate {
  perSecond: number;
  burst: number;
}

/** The rates that one call counts for, each under the name of its bucket. */
export type SendRatesOf = (part: MessagePart, recipient: string) => Readonly<Record<string, SendRate>>;

/** Buckets after which those that are full again are dropped for the first time. */
const pruneAt = 4096;

/**
 * Times calls so that they stay within the providers' rates, as long as one process makes them. Each bucket keeps the time at which it is
 * full again: the virtual scheduling form of the generic cell rate algorithm (ITU-T I.371, annex A).
 */
export class SendRates {
  /** Time on the caller's clock at which a bucket is full again, in milliseconds. */
  readonly #fullAtMs = new Map<string, number>();
  #pruneAt = pruneAt;

  /** Number of buckets that are kept. */
  get size(): number {
    return this.#fullAtMs.size;
  }

  /**
   * Returns the time until a call of the account may begin, in milliseconds, and takes its place in all buckets. If that is longer than
   * `waitMaxMs`, it takes none.
   */
  reserve(
    account: string,
    rates: Readonly<Record<string, SendRate>>,
    nowMs: number,
    waitMaxMs: number,
  ): number {
    const buckets = Object.entries(rates).map(([name, { perSecond, burst }]) => {
      const key = `${account} ${name}`;
      const intervalMs = 1000 / perSecond;
      const fullAtMs = Math.max(this.#fullAtMs.get(key) ?? nowMs, nowMs);
      return { key, intervalMs, fullAtMs, waitMs: fullAtMs - (burst - 1) * intervalMs - nowMs };
    });
    const waitMs = Math.max(0, ...buckets.map((bucket) => bucket.waitMs));
    if (waitMs > waitMaxMs) return waitMs;
    for (const { key, intervalMs, fullAtMs } of buckets)
      this.#fullAtMs.set(key, Math.max(fullAtMs, nowMs + waitMs) + intervalMs);
    if (this.#fullAtMs.size >= this.#pruneAt) this.#prune(nowMs);
    return waitMs;
  }

  /** Drops the buckets that are full, which are the same as none. */
  #prune(nowMs: number): void {
    for (const [key, fullAtMs] of this.#fullAtMs) if (fullAtMs <= nowMs) this.#fullAtMs.delete(key);
    this.#pruneAt = Math.max(pruneAt, 2 * this.#fullAtMs.size);
  }
}
