import { AppError } from "../kit/app-error.ts";
import type { Clock } from "../kit/clock.ts";

/** What unfinished bodies may hold together unless the operator says otherwise. */
export const heldBytesDefault = 256 * 1024 * 1024;

/** A body of this size counts as small: small bodies have an eighth of the budget that large ones can't take. */
const smallBytesMax = 16 * 1024;

/** After this time a body that is still unfinished makes way for others when there is no room. */
const graceMs = 5_000;

/** One body that is being read. */
export interface HeldBody {
  /** Aborts when the body has to make way. */
  readonly signal: AbortSignal;
  /** Counts bytes that have arrived; throws AppError `too_busy` when there is no room for them. */
  take(bytes: number): void;
  /** The body is read, or given up. */
  end(): void;
}

interface Holder {
  bytes: number;
  sinceMs: number;
  control: AbortController;
}

/**
 * Bounds the bytes of unfinished request bodies over all connections of all services. When there is no room, the bodies that
 * have been unfinished for longest make way, if that is more than 5 seconds; else the newcomer is refused.
 */
export class BodyBudget {
  readonly #clock: Clock;
  readonly bytesMax: number;
  /** In order of their beginning. */
  readonly #holders = new Set<Holder>();
  #bytes = 0;

  constructor(clock: Clock, bytesMax: number = heldBytesDefault) {
    this.#clock = clock;
    this.bytesMax = bytesMax;
  }

  /** Bytes that unfinished bodies hold now. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Begins a body of a declared length, or of 0 where none is declared: one that could not fit now is refused unread. */
  begin(declaredBytes = 0): HeldBody {
    const holder: Holder = { bytes: 0, sinceMs: this.#clock.monotonicMs(), control: new AbortController() };
    this.#requireRoom(holder, declaredBytes);
    this.#holders.add(holder);
    return {
      signal: holder.control.signal,
      take: (bytes) => this.#take(holder, bytes),
      end: () => this.#release(holder),
    };
  }

  #take(holder: Holder, bytes: number): void {
    if (!this.#holders.has(holder)) throw holder.control.signal.reason ?? tooBusy();
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
      if (holder === newcomer || holder.bytes === 0) continue;
      freed += holder.bytes;
      this.#release(holder);
      holder.control.abort(tooSlow());
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
