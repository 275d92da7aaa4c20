import type { Clock } from "../clock.ts";

export interface ServerWatchOptions {
  /** Real time: a server's answers don't come by any other. */
  clock: Clock;
  /** Asks the server something over a connection of its own; rejects when no answer comes in time. A refusal is an answer. */
  probe: () => Promise<void>;
  /** Without any answer for so long while a call waits, a probe asks whether the server hangs. */
  suspectMs?: number;
  /** Without any answer for so long, the probe's included, the server hangs. */
  hangMs?: number;
  /** Holds answers back while it returns a promise, for a drill. */
  held?: () => Promise<void> | undefined;
}

export const noAnswerCode = "NO_ANSWER";

/** Thrown where a server did not answer in time, or is known to hang. */
export class NoAnswer extends Error {
  override readonly name = "NoAnswer";
  readonly code = noAnswerCode;

  constructor() {
    super("The server does not answer.");
  }
}

/** A route that meets a server which hangs answers within 5 seconds. */
export const hangMsDefault = 3_500;
const suspectMsDefault = 1_000;
/** The wait between two probes of a server that hangs. */
const probeEveryMs = 500;
const ticksPerHang = 16;
/** Answers that have arrived while this process was stopped or busy are read within this time. */
const lateMs = 50;

/**
 * Knows whether one server answers, for all who call it. While a call waits, the time without any answer of that server is counted. After
 * `suspectMs` a probe asks over a connection of its own; after `hangMs` all waiting calls are rejected with `NoAnswer`, and new
 * ones are refused at once. Then further probes find out when the server is back, even without calls.
 *
 * A server that is only slow answers something in that time: any answer to any call begins the count anew. Time is counted in
 * ticks, so that a process that was stopped or busy itself does not take its own delay for the server's.
 */
export class ServerWatch {
  readonly #clock: Clock;
  readonly #probe: () => Promise<void>;
  readonly #suspectMs: number;
  readonly #hangMs: number;
  readonly #held: (() => Promise<void> | undefined) | undefined;
  readonly #waiting = new Set<(reason: NoAnswer) => void>();
  readonly #onLost = new Set<() => void>();
  #quietMs = 0;
  #hangs = false;
  #isTicking = false;
  #isProbing = false;
  #isClosed = false;

  constructor({
    clock,
    probe,
    suspectMs = suspectMsDefault,
    hangMs = hangMsDefault,
    held,
  }: ServerWatchOptions) {
    this.#clock = clock;
    this.#probe = probe;
    this.#suspectMs = suspectMs;
    this.#hangMs = hangMs;
    this.#held = held;
  }

  /** Throws `NoAnswer` while the server is known to hang. */
  admit(): void {
    if (this.#hangs) throw new NoAnswer();
  }

  /** Resolves to what `answer` does; rejects with `NoAnswer` when the server hangs. */
  async during<T>(answer: PromiseLike<T>): Promise<T> {
    const lost = Promise.withResolvers<never>();
    const reject = lost.reject;
    if (this.#hangs) reject(new NoAnswer());
    this.#waiting.add(reject);
    if (!this.#isTicking) this.#tick();
    try {
      const held = this.#held?.();
      return await Promise.race([held === undefined ? answer : afterwards(held, answer), lost.promise]);
    } finally {
      this.#waiting.delete(reject);
    }
  }

  /** Notes that the server has answered something. */
  heard(): void {
    this.#quietMs = 0;
  }

  /** Calls `lost` each time the server begins to hang: its connections are of no use any more. Returns how to stop that. */
  onLost(lost: () => void): () => void {
    this.#onLost.add(lost);
    return () => void this.#onLost.delete(lost);
  }

  close(): void {
    this.#isClosed = true;
  }

  #tick(): void {
    this.#isTicking = true;
    const tickMs = this.#hangMs / ticksPerHang;
    this.#clock.timer(tickMs, () => {
      this.#isTicking = false;
      if (this.#isClosed || this.#hangs) return;
      // Callers that gave up have heard nothing: the count goes on without them.
      if (this.#waiting.size === 0 && this.#quietMs === 0) return;
      this.#quietMs += tickMs;
      if (this.#quietMs >= this.#hangMs) return this.#judge();
      if (this.#quietMs >= this.#suspectMs) void this.#ask();
      this.#tick();
    });
  }

  #judge(): void {
    this.#isTicking = true;
    this.#clock.timer(lateMs, () => {
      if (this.#quietMs >= this.#hangMs) this.#lose();
      this.#tick();
    });
  }

  #lose(): void {
    this.#hangs = true;
    this.#quietMs = 0;
    for (const reject of this.#waiting) reject(new NoAnswer());
    for (const lost of this.#onLost) lost();
    void this.#ask();
  }

  async #ask(): Promise<void> {
    if (this.#isProbing || this.#isClosed) return;
    this.#isProbing = true;
    try {
      if (this.#held?.() !== undefined) throw new NoAnswer();
      await this.#probe();
      this.#quietMs = 0;
      this.#hangs = false;
    } catch {
      // The count goes on, or the next probe asks again.
    }
    this.#isProbing = false;
    if (this.#hangs) this.#clock.timer(probeEveryMs, () => void this.#ask());
  }
}

/** Resolves to what `answer` does, but not before `held` resolves. */
async function afterwards<T>(held: Promise<void>, answer: PromiseLike<T>): Promise<T> {
  const [result] = await Promise.all([answer, held]);
  return result;
}
