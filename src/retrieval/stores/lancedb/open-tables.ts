import type { LanceTable } from "./lance-table.ts";

interface Entry {
  opening: Promise<LanceTable | undefined>;
  users: number;
  /** Called when the last user leaves. */
  onIdle?: () => void;
}

/** Opens a table; where there is none it is made for vectors of `dimension` numbers, or is undefined when that is. */
export type OpenTable = (name: string, dimension: number | undefined) => Promise<LanceTable | undefined>;

/**
 * Tables that are open, each once so that it has one writer. Up to `openMax` of those that nobody uses stay open, the ones that
 * were used last.
 */
export class OpenTables {
  readonly #entries = new Map<string, Entry>();
  /** Names that are not to be opened now. */
  readonly #closed = new Map<string, Promise<void>>();
  readonly #open: OpenTable;
  readonly #openMax: number;

  constructor(open: OpenTable, openMax: number) {
    this.#open = open;
    this.#openMax = openMax;
  }

  /** The outcome of `work` with the table, which stays open meanwhile; undefined: it isn't there, and no dimension to make it by. */
  async use<T>(
    name: string,
    dimension: number | undefined,
    work: (table: LanceTable) => Promise<T>,
  ): Promise<T | undefined> {
    for (let closed = this.#closed.get(name); closed; closed = this.#closed.get(name)) await closed;
    const entry = this.#enter(name, dimension);
    try {
      const table = await entry.opening;
      if (table !== undefined) return await work(table);
    } catch (thrown) {
      // What failed to open may open the next time.
      if (this.#entries.get(name) === entry && !(await opened(entry))) this.#entries.delete(name);
      throw thrown;
    } finally {
      this.#leave(entry);
    }
    if (this.#entries.get(name) === entry) this.#entries.delete(name);
    return dimension === undefined ? undefined : this.use(name, dimension, work);
  }

  /** The outcome of `work`, before which everyone has left the table and during which nobody gets it. */
  async without<T>(name: string, work: () => Promise<T>): Promise<T> {
    for (let closed = this.#closed.get(name); closed; closed = this.#closed.get(name)) await closed;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#closed.set(name, promise);
    try {
      const entry = this.#entries.get(name);
      if (entry !== undefined) await this.#close(name, entry);
      return await work();
    } finally {
      this.#closed.delete(name);
      resolve();
    }
  }

  /** Closes all, each when nobody uses it any more. */
  async closeAll(): Promise<void> {
    await Promise.all([...this.#entries].map(([name, entry]) => this.#close(name, entry)));
  }

  #enter(name: string, dimension: number | undefined): Entry {
    const entry = this.#entries.get(name) ?? { opening: this.#open(name, dimension), users: 0 };
    entry.users++;
    // Last in order: used last.
    this.#entries.delete(name);
    this.#entries.set(name, entry);
    return entry;
  }

  #leave(entry: Entry): void {
    entry.users--;
    if (entry.users > 0) return;
    entry.onIdle?.();
    let excess = this.#entries.size - this.#openMax;
    for (const [name, other] of this.#entries) {
      if (excess-- <= 0) break;
      if (other.users === 0) void this.#close(name, other);
    }
  }

  async #close(name: string, entry: Entry): Promise<void> {
    if (entry.users > 0) {
      const idle = Promise.withResolvers<void>();
      entry.onIdle = idle.resolve;
      await idle.promise;
    }
    if (this.#entries.get(name) === entry) this.#entries.delete(name);
    await (await opened(entry))?.close();
  }
}

const opened = (entry: Entry) => entry.opening.catch(() => undefined);
