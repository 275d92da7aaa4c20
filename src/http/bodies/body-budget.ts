import { AppError } from "../../kit/app-error.ts";
import type { Clock } from "../../kit/clock.ts";

/** Default limit for the unfinished request bodies of all connections, in bytes. */
export const heldBytesDefault = 256 * 1024 * 1024;

/** A body of up to this size is small. An eighth of the budget is reserved for small bodies. */
const smallBytesMax = 16 * 1024;

/** After this time, an unfinished body is aborted if others need room. */
const graceMs = 5_000;

/** One body that is being received. */
export interface HeldBody {
  /** Aborts when the body must make room for others. */
  readonly signal: AbortSignal;
  /** Counts bytes that have arrived. Throws AppError `too_busy` if there is no room for them. */
  take(bytes: number): void;
  /** Frees the room of a body that was read or abandoned. */
  end(): void;
}

/** A body's share of the budget. */
interface Counter {
  take(body: Holder, bytes: number): void;
  release(body: Holder): void;
}

class Holder implements HeldBody {
  bytes = 0;
  readonly sinceMs: number;
  readonly isNeeded: () => boolean;
  readonly #counter: Counter;
  /** Created when it is first read, because short bodies never look at it. */
  #control: AbortController | undefined;
  #madeWay: AppError | undefined;

  constructor(counter: Counter, sinceMs: number, isNeeded: () => boolean) {
    this.#counter = counter;
    this.sinceMs = sinceMs;
    this.isNeeded = isNeeded;
  }

  /** The reason why it had to make room for others; undefined if it did not. */
  get madeWay(): AppError | undefined {
    return this.#madeWay;
  }

  get signal(): AbortSignal {
    this.#control ??= new AbortController();
    if (this.#madeWay !== undefined) this.#control.abort(this.#madeWay);
    return this.#control.signal;
  }

  take(bytes: number): void {
    this.#counter.take(this, bytes);
  }

  end(): void {
    this.#counter.release(this);
  }

  makeWay(reason: AppError): void {
    this.#madeWay = reason;
    this.#control?.abort(reason);
  }
}

const neverNeeded = () => false;

/**
 * Bounds the bytes of unfinished request bodies over all connections of all services. If there is no room, the bodies that have been
 * unfinished longest are aborted, if that is more than 5 seconds; otherwise the new body is refused.
 */
export class BodyBudget {
  readonly #clock: Clock;
  readonly bytesMax: number;
  /** In order of their start. */
  readonly #holders = new Set<Holder>();
  readonly #counter: Counter = {
    take: (body, bytes) => this.#take(body, bytes),
    release: (body) => this.#release(body),
  };
  #bytes = 0;

  constructor(clock: Clock, bytesMax: number = heldBytesDefault) {
    this.#clock = clock;
    this.bytesMax = bytesMax;
  }

  /** Bytes of all unfinished bodies now. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Begins a body of a declared length, 0 if none is declared. A body that could not fit now is refused unread. While `isNeeded` returns
   * true, the body is not aborted to make room.
   */
  begin(declaredBytes = 0, isNeeded = neverNeeded): HeldBody {
    const holder = new Holder(this.#counter, this.#clock.monotonicMs(), isNeeded);
    this.#requireRoom(holder, declaredBytes);
    this.#holders.add(holder);
    return holder;
  }

  #take(holder: Holder, bytes: number): void {
    if (!this.#holders.has(holder)) throw holder.madeWay ?? tooBusy();
    this.#requireRoom(holder, bytes);
    holder.bytes += bytes;
    this.#bytes += bytes;
  }

  #requireRoom(holder: Holder, bytes: number): void {
    const isSmall = holder.bytes + bytes <= smallBytesMax;
    const bytesMax = isSmall ? this.bytesMax : this.bytesMax - Math.floor(this.bytesMax / 8);
    if (this.#bytes + bytes > bytesMax) this.#makeRoom(holder, this.#bytes + bytes - bytesMax);
    if (this.#bytes + bytes > bytesMax) throw tooBusy();
  }

  #makeRoom(newcomer: Holder, bytesNeeded: number): void {
    const oldest = this.#clock.monotonicMs() - graceMs;
    let freed = 0;
    for (const holder of this.#holders) {
      if (freed >= bytesNeeded || holder.sinceMs > oldest) return;
      if (holder === newcomer || holder.bytes === 0 || holder.isNeeded()) continue;
      freed += holder.bytes;
      this.#release(holder);
      holder.makeWay(tooSlow());
    }
  }

  #release(holder: Holder): void {
    if (!this.#holders.delete(holder)) return;
    this.#bytes -= holder.bytes;
    holder.bytes = 0;
  }
}

function tooBusy(): AppError {
  const message = "Too many request bodies are being received; try again in a moment.";
  return new AppError("unavailable", "too_busy", message, { details: { retryAfterSeconds: 5 } });
}

function tooSlow(): AppError {
  const seconds = graceMs / 1000;
  return new AppError(
    "unavailable",
    "too_busy",
    `The body was not complete after ${seconds} seconds and made way for other requests; send it again in a moment.`,
    { details: { retryAfterSeconds: 5 } },
  );
}
