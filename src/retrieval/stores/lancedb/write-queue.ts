interface Addition<Rows> {
  rows: Rows;
  size: number;
  done: () => void;
  failed: (thrown: unknown) => void;
}

interface Turn {
  work: () => Promise<void>;
}

/**
 * A single writer that works in order of arrival. Adjacent waiting additions are committed together: a commit costs the same for one row as
 * for a thousand, and each leaves a file.
 */
export class WriteQueue<Rows> {
  readonly #commit: (parts: readonly Rows[]) => Promise<void>;
  readonly #togetherMax: number;
  readonly #waiting: (Addition<Rows> | Turn)[] = [];
  #isDraining = false;

  /** Additions are combined up to a total size of `togetherMax`. */
  constructor(commit: (parts: readonly Rows[]) => Promise<void>, togetherMax: number) {
    this.#commit = commit;
    this.#togetherMax = togetherMax;
  }

  /** Resolves when the rows are committed. */
  add(rows: Rows, size: number): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#push({ rows, size, done: resolve, failed: reject });
    return promise;
  }

  /** Returns the result of `work`, during which there are no other writes. */
  alone<T>(work: () => Promise<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    this.#push({ work: () => work().then(resolve, reject) });
    return promise;
  }

  #push(entry: Addition<Rows> | Turn): void {
    this.#waiting.push(entry);
    if (!this.#isDraining) void this.#drain();
  }

  async #drain(): Promise<void> {
    this.#isDraining = true;
    // Additions in the same turn of the event loop are included.
    await Promise.resolve();
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      if ("work" in next) await next.work();
      else await this.#commitWith(next);
    }
    // Synchronous with the check that found nothing waiting.
    this.#isDraining = false;
  }

  async #commitWith(first: Addition<Rows>): Promise<void> {
    const together = [first];
    let size = first.size;
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      if ("work" in next || size + next.size > this.#togetherMax) break;
      together.push(next);
      size += next.size;
      this.#waiting.shift();
    }
    try {
      await this.#commit(together.map(({ rows }) => rows));
      for (const { done } of together) done();
    } catch (thrown) {
      for (const { failed } of together) failed(thrown);
    }
  }
}
