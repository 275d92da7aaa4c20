import type { LanceTable } from "./lance-table.ts";

interface Entry {
  opening: Promise<LanceTable | undefined>;
  users: number;
  /** Called when the last user leaves. */
  onIdle?: () => void;
}

/** Opens a table. If it does not exist, creates it for vectors of `dimension` numbers, or returns undefined without a dimension. */
export type OpenTable = (name: string, dimension: number | undefined) => Promise<LanceTable | undefined>;

/**
 * Open tables, each opened once, so that it has one writer. Up to `openMax` tables stay open, preferably recently used ones; tables in use
 * are not closed.
 */
export class OpenTables {
  readonly #entries = new Map<string, Entry>();
  /** Tables that must not be opened now. */
  readonly #closed = new Map<string, Promise<void>>();
  readonly #open: OpenTable;
  readonly #openMax: number;

  constructor(open: OpenTable, openMax: number) {
    this.#open = open;
    this.#openMax = openMax;
  }

  /**
   * Returns the result of `work` with the table, which stays open during it; undefined if the table does not exist and no dimension is
   * given.
   */
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
      // A failed open may succeed next time.
      if (this.#entries.get(name) === entry && !(await opened(entry))) this.#entries.delete(name);
      throw thrown;
    } finally {
      this.#leave(entry);
    }
    if (this.#entries.get(name) === entry) this.#entries.delete(name);
    return dimension === undefined ? undefined : this.use(name, dimension, work);
  }

  /** Returns the result of `work`. It starts when all users have left the table, and no one can open the table until it ends. */
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

  /** Closes all tables, each when its last user has left. */
  async closeAll(): Promise<void> {
    await Promise.all([...this.#entries].map(([name, entry]) => this.#close(name, entry)));
  }

  #enter(name: string, dimension: number | undefined): Entry {
    const entry = this.#entries.get(name) ?? { opening: this.#open(name, dimension), users: 0 };
    entry.users++;
    // The order of entries is the order of last use.
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
