import type { Clock } from "./clock.ts";

const flushAfterMs = 20;
const charsMax = 32 * 1024;

/** Collects lines and writes them together: 20 ms after the first, at 32 Ki characters, or on `flush`. */
export class LineBuffer {
  readonly #write: (lines: string) => void;
  readonly #clock: Clock;
  #lines = "";
  #cancelTimer: (() => void) | undefined;

  constructor(write: (lines: string) => void, clock: Clock) {
    this.#write = write;
    this.#clock = clock;
  }

  /** Adds one line, its line feed included. */
  write(line: string): void {
    this.#lines += line;
    if (this.#lines.length >= charsMax) this.flush();
    else this.#cancelTimer ??= this.#clock.timer(flushAfterMs, () => this.flush());
  }

  /** Writes the collected lines synchronously. If the sink fails, the lines are lost and no error is thrown. */
  flush(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    const lines = this.#lines;
    this.#lines = "";
    try {
      if (lines !== "") this.#write(lines);
    } catch {
      // There is no place left to report it.
    }
  }
}
