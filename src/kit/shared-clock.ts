import type { Clock } from "./clock.ts";

/** The time of whatever several machines share, by an answer of it. */
export type TimeSource = () => Promise<Date>;

/** The operator is warned of a clock that is off by more. */
export const clockOffMaxMs = 2_000;

/** Answers that a start asks for until one is exact enough. */
const asksMax = 3;
const exactMs = 20;

/**
 * The clock of a process that shares its data with processes of other machines. It shows the time of what they share, so that a time which
 * one of them stores means the same to all. Between two answers it goes by this machine's monotonic time: a jump of the machine's own
 * clock changes nothing.
 */
export class SharedClock implements Clock {
  readonly #own: Clock;
  readonly #ask: TimeSource;
  /** Shared time at monotonic zero. */
  #originMs: number | undefined;

  constructor(own: Clock, ask: TimeSource) {
    this.#own = own;
    this.#ask = ask;
  }

  now(): Date {
    if (this.#originMs === undefined) return this.#own.now();
    return new Date(Math.round(this.#originMs + this.#own.monotonicMs()));
  }

  monotonicMs(): number {
    return this.#own.monotonicMs();
  }

  timer(ms: number, fire: () => void): () => void {
    return this.#own.timer(ms, fire);
  }

  /** How far this machine's own clock is ahead of the shared time; negative when it is behind. */
  get offMs(): number {
    return this.#own.now().getTime() - this.now().getTime();
  }

  /** Asks until an answer is exact. Throws the first error of the source. */
  async start(): Promise<void> {
    for (let asks = 0; asks < asksMax; asks++) if ((await this.measure()) <= exactMs) return;
  }

  /**
   * Asks for the time, and keeps to it. Returns how long the answer took: the shared time was told at some moment within, so what is known
   * stands as long as it lies within too.
   */
  async measure(): Promise<number> {
    const askedMs = this.#own.monotonicMs();
    const serverMs = (await this.#ask()).getTime();
    const answeredMs = this.#own.monotonicMs();
    const [latest, earliest] = [serverMs - askedMs, serverMs - answeredMs];
    if (this.#originMs === undefined || this.#originMs < earliest - 1 || this.#originMs > latest + 1)
      this.#originMs = (latest + earliest) / 2;
    return answeredMs - askedMs;
  }
}

/** How far a machine's clock is off, in words; undefined if it isn't. */
export function clockFault(offMs: number): string | undefined {
  if (Math.abs(offMs) <= clockOffMaxMs) return undefined;
  const seconds = (Math.abs(offMs) / 1_000).toFixed(1);
  return `This machine's clock is ${seconds} seconds ${offMs > 0 ? "ahead of" : "behind"} the database's.`;
}
