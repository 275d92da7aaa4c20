/** One kept line of the log. */
export interface KeptLine {
  /** Counts the lines of this process from 1. */
  number: number;
  /** The line as JSON, with secrets masked, without its line feed. */
  json: string;
}

/** Limits of a ring. The older lines go first. */
export const logRingLimits = { lines: 5_000, chars: 4 * 1024 * 1024, lineChars: 16 * 1024 };

const cutChars = 1_000;

/** The newest lines of a process's log, in memory, for readers that follow them. */
export class LogRing {
  #lines: KeptLine[] = [];
  /** Index of the oldest line; the lines before it are gone. */
  #first = 0;
  #chars = 0;
  #last = 0;
  #changed = Promise.withResolvers<void>();
  #isAwaited = false;

  /** Keeps a line of JSON. A longer line than the limit keeps its head and says so. */
  keep(line: string): void {
    const json = line.length > logRingLimits.lineChars ? shorten(line) : line.trimEnd();
    this.#last++;
    this.#lines.push({ number: this.#last, json });
    this.#chars += json.length;
    while (this.#count() > logRingLimits.lines || this.#chars > logRingLimits.chars) this.#drop();
    if (!this.#isAwaited) return;
    this.#isAwaited = false;
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }

  /** Number of the newest line; 0 before the first. */
  get last(): number {
    return this.#last;
  }

  /** Returns the kept lines after line `number`, oldest first. */
  after(number: number): readonly KeptLine[] {
    const oldest = this.#last - this.#count() + 1;
    return this.#lines.slice(this.#first + Math.max(0, number + 1 - oldest));
  }

  /** Resolves at the next line, or when the signal aborts. */
  async next(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    this.#isAwaited = true;
    const gone = Promise.withResolvers<void>();
    const leave = () => gone.resolve();
    signal.addEventListener("abort", leave, { once: true });
    await Promise.race([this.#changed.promise, gone.promise]);
    signal.removeEventListener("abort", leave);
  }

  #count(): number {
    return this.#lines.length - this.#first;
  }

  #drop(): void {
    this.#chars -= this.#lines[this.#first]?.json.length ?? 0;
    this.#first++;
    // Moves the rest only now and then, so that a drop costs the same at any size.
    if (this.#first < 1_000) return;
    this.#lines = this.#lines.slice(this.#first);
    this.#first = 0;
  }
}

/** Returns level, time and event of a long line with the head of the line as text. */
function shorten(line: string): string {
  const { level, time, event } = JSON.parse(line) as Record<string, unknown>;
  const head = line.slice(0, cutChars);
  return JSON.stringify({ level, time, event, cut: head, chars: line.length });
}
