import type { Clock } from "../../../kit/clock.ts";
import { MinuteLimit, tooMany } from "../../../kit/concurrency/minute-limit.ts";
import { leavesRoom } from "../../../kit/concurrency/owner-places.ts";

const busySeconds = 30;

/** Calls a minute, and streams at a time, that one process allows. */
export const visitorLimits = {
  messagesOfVisitor: 20,
  messagesOfAccount: 600,
  ratingsOfVisitor: 30,
  ratingsOfAccount: 600,
  readsOfVisitor: 60,
  /** New visitors, by the address that they call from. */
  visitorsOfAddress: 30,
  visitorsOfAccount: 300,
  streamsOfVisitor: 8,
  streamsOfAccount: 1_000,
} as const;

/**
 * Bounds of what visitors may ask for. Each account has its own share, so that an attack on one site leaves the others alone; of what an
 * account has, each caller (an address, IPv6 by /64) gets another one only while as many as it has had remain for the other callers.
 */
export class VisitorLimits {
  readonly #messagesOfVisitor: MinuteLimit;
  readonly #messagesOfAccount: MinuteLimit;
  readonly #ratingsOfVisitor: MinuteLimit;
  readonly #ratingsOfAccount: MinuteLimit;
  readonly #reads: MinuteLimit;
  readonly #visitorsOfAddress: MinuteLimit;
  readonly #visitorsOfAccount: MinuteLimit;
  readonly #streams = new Map<string, number>();

  constructor(clock: Clock) {
    const limit = (max: number, what: string) => new MinuteLimit(clock, max, what);
    this.#messagesOfVisitor = limit(visitorLimits.messagesOfVisitor, "messages");
    this.#messagesOfAccount = limit(visitorLimits.messagesOfAccount, "messages");
    this.#ratingsOfVisitor = limit(visitorLimits.ratingsOfVisitor, "ratings");
    this.#ratingsOfAccount = limit(visitorLimits.ratingsOfAccount, "ratings");
    this.#reads = limit(visitorLimits.readsOfVisitor, "requests");
    this.#visitorsOfAddress = limit(visitorLimits.visitorsOfAddress, "new visitors");
    this.#visitorsOfAccount = limit(visitorLimits.visitorsOfAccount, "new visitors");
  }

  /** Throws 429. A visitor beyond the own limit takes nothing of the account's. */
  takeMessage(accountId: string, visitor: string, caller: string): void {
    this.#messagesOfVisitor.take(`${accountId} ${visitor}`);
    this.#messagesOfAccount.take(accountId, caller);
  }

  /** Throws 429. A visitor beyond the own limit takes nothing of the account's. */
  takeRating(accountId: string, visitor: string, caller: string): void {
    this.#ratingsOfVisitor.take(`${accountId} ${visitor}`);
    this.#ratingsOfAccount.take(accountId, caller);
  }

  takeRead(accountId: string, visitor: string): void {
    this.#reads.take(`${accountId} ${visitor}`);
  }

  takeVisitor(accountId: string, caller: string): void {
    this.#visitorsOfAddress.take(`${accountId} ${caller}`);
    this.#visitorsOfAccount.take(accountId, caller);
  }

  /** Counts an open stream until the returned function is called. Throws 429. */
  openStream(accountId: string, visitor: string, caller: string): () => void {
    const { streamsOfVisitor, streamsOfAccount } = visitorLimits;
    const keys = {
      visitor: `${accountId} ${visitor}`,
      caller: `${accountId} @${caller}`,
      account: accountId,
    };
    const free = streamsOfAccount - this.#openAt(keys.account);
    if (this.#openAt(keys.visitor) >= streamsOfVisitor || !leavesRoom(this.#openAt(keys.caller), free)) {
      throw tooMany("open streams", busySeconds);
    }
    for (const key of Object.values(keys)) this.#streams.set(key, this.#openAt(key) + 1);
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      for (const key of Object.values(keys)) {
        const left = this.#openAt(key) - 1;
        if (left > 0) this.#streams.set(key, left);
        else this.#streams.delete(key);
      }
    };
  }

  #openAt(key: string): number {
    return this.#streams.get(key) ?? 0;
  }
}
