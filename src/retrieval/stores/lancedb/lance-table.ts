import type { Index, Table } from "@lancedb/lancedb";
import type { Schema } from "apache-arrow";
import { isConflict } from "./lance-fault.ts";
import type { LanceLibrary } from "./native/lance-library.ts";
import { arrowRows, rowSchema } from "./rows/arrow-rows.ts";
import { KnownIds } from "./rows/known-ids.ts";
import { joinedRows, type RowColumns } from "./rows/row-columns.ts";
import { sqlIn } from "./sql-literal.ts";
import { WriteQueue } from "./write-queue.ts";

/** Rows that are committed together at most, unless one addition has more. */
const rowsTogetherMax = 10_000;
/** Additions of fewer rows ask the table whether it has them; for more it pays to know all ids. */
const knownFromRows = 256;
/** So many small additions in a row make it pay, too. */
const lookupsMax = 16;
const conflictsMax = 5;
/** Small additions that leave their files until these are put together. */
const commitsMin = 64;
const commitsMax = 512;
/** Small additions between two returns of freed memory. */
const trimEvery = 32;
/** Putting together the files of more rows takes longer than an addition may wait. */
const rowsWaitedForMax = 10_000;

export interface LanceTableParts {
  library: LanceLibrary;
  name: string;
  handle: Table;
  dimension: number;
  /** Calls `optimize` of the table, and throws nothing. */
  compact: (table: LanceTable) => Promise<void>;
  /** Returns memory that small additions have freed. */
  trimHeaps: () => void;
}

/** A collection's table, open, with its one writer. */
export class LanceTable {
  readonly name: string;
  readonly handle: Table;
  readonly dimension: number;
  /** Of the index over vectors; 0: there is none. */
  partitions = 0;
  /** Rows were removed or replaced since files were last put together. */
  hasRemoved = false;
  /** There may be versions that hold more than a few small files. */
  isStale = true;
  readonly #arrow: LanceLibrary["arrow"];
  readonly #schema: Schema;
  readonly #writes: WriteQueue<RowColumns>;
  readonly #compact: (table: LanceTable) => Promise<void>;
  readonly #trimHeaps: () => void;
  #isOptimizing = false;
  #compacting: Promise<void> | undefined;
  /** As files were last put together. */
  #rows = 0;
  /** Small additions that have left a file behind since files were last put together, and how many may. */
  #commits = 0;
  #commitsMax = commitsMin;
  /** Small additions whose ids were looked up in the table. */
  #lookups = 0;
  #known: KnownIds | undefined;
  /** The version that `#known` is of: another writer's commits show in it. */
  #version = 0;

  constructor({ library, name, handle, dimension, compact, trimHeaps }: LanceTableParts) {
    this.name = name;
    this.handle = handle;
    this.dimension = dimension;
    this.#arrow = library.arrow;
    this.#compact = compact;
    this.#trimHeaps = trimHeaps;
    this.#schema = rowSchema(library.arrow, dimension);
    this.#writes = new WriteQueue((parts) => this.#commit(parts), rowsTogetherMax);
  }

  /** Adds rows, and replaces those whose id is there: in one commit, so that a process that dies leaves all or none of it. */
  add(rows: RowColumns): Promise<void> {
    return this.#writes.add(rows, rows.ids.length);
  }

  /** Removes what matches; `find` is asked when the writer's turn has come. */
  remove(find: () => Promise<string[]> | string[]): Promise<void> {
    return this.#writes.alone(async () => {
      const conditions = await find();
      await this.#keepingKnown(async () => {
        for (const where of conditions) {
          await this.#again(() => this.handle.delete(where));
          this.hasRemoved = true;
        }
      });
    });
  }

  /** Builds an index, over new rows too when they come between. */
  index(column: string, name: string, config: Index): Promise<void> {
    return this.#again(() => this.handle.createIndex(column, { name, config, replace: true }));
  }

  /**
   * Puts small files together, brings indexes up to date and removes versions from before `olderThan`. False: that is going on
   * already, and two of them would be in each other's way.
   */
  async optimize(olderThan: Date): Promise<boolean> {
    if (this.#isOptimizing) return false;
    this.#isOptimizing = true;
    try {
      this.#commits = 0;
      await this.handle.optimize({ cleanupOlderThan: olderThan });
      this.#rows = await this.handle.countRows();
      this.#commitsMax = Math.min(commitsMax, Math.max(commitsMin, Math.round(Math.sqrt(this.#rows))));
      return true;
    } finally {
      this.#isOptimizing = false;
    }
  }

  /**
   * A table of many small files is slow to read and to add to, and each of its versions names them all: after so many small
   * additions as the root of its rows, since all rows are written anew then. Additions to a small table wait meanwhile, since a
   * moment is all that it takes; those to a large one go on beside it.
   */
  #compactWhenDue(): void {
    if (++this.#commits % trimEvery === 0) this.#trimHeaps();
    if (this.#commits < this.#commitsMax || this.#isOptimizing) return;
    this.#commits = 0;
    if (this.#rows > rowsWaitedForMax) this.#compacting = this.#compact(this);
    // What fails here fails for the next addition too, which tells it.
    else this.#writes.alone(() => this.#keepingKnown(() => this.#compact(this))).catch(() => undefined);
  }

  /** Resolves when what was being written and put together is done: a table in use can't be closed. */
  async close(): Promise<void> {
    await this.#writes.alone(async () => undefined);
    await this.#compacting;
    this.handle.close();
  }

  async #commit(parts: readonly RowColumns[]): Promise<void> {
    const rows = joinedRows(parts, this.dimension);
    const data = arrowRows(this.#arrow, rows, this.#schema, this.dimension);
    try {
      // Without looking, a repeated call would double its rows.
      const isReplacing = await this.#hasAny(rows.ids);
      const { version } = await this.#again(() => (isReplacing ? this.#merge(data) : this.handle.add(data)));
      if (isReplacing) this.hasRemoved = true;
      if (this.#known !== undefined && version === this.#version + 1) this.#known.add(rows.ids);
      else this.#known = undefined;
      this.#version = version;
    } catch (thrown) {
      // Whether the rows are there now is not known.
      this.#known = undefined;
      throw thrown;
    }
    if (rows.ids.length < knownFromRows) this.#compactWhenDue();
  }

  #merge(data: ReturnType<typeof arrowRows>) {
    return this.handle.mergeInsert("id").whenMatchedUpdateAll().whenNotMatchedInsertAll().execute(data);
  }

  async #hasAny(ids: readonly string[]): Promise<boolean> {
    await this.handle.checkoutLatest();
    const doubtful = (await this.#isWorthKnowing(ids)) ? (await this.#knownIds()).among(ids) : ids;
    return doubtful.length > 0 && (await this.handle.countRows(sqlIn("id", doubtful))) > 0;
  }

  /** One look into a table costs less than to read all its ids, many looks cost more. */
  async #isWorthKnowing(ids: readonly string[]): Promise<boolean> {
    if (ids.length >= knownFromRows || (await this.#isKnown())) return true;
    if (++this.#lookups < lookupsMax) return false;
    this.#lookups = 0;
    return true;
  }

  async #isKnown(): Promise<boolean> {
    return this.#known !== undefined && (await this.handle.version()) === this.#version;
  }

  async #knownIds(): Promise<KnownIds> {
    const version = await this.handle.version();
    if (this.#known !== undefined && version === this.#version) return this.#known;
    const known = new KnownIds();
    for await (const batch of this.handle.query().select(["id"])) known.add(batch.getChild("id") ?? []);
    this.#known = known;
    this.#version = version;
    return known;
  }

  /** Does what adds no ids; those that it removes may go on being taken for known. */
  async #keepingKnown(work: () => Promise<void>): Promise<void> {
    const isKnown = await this.#isKnown();
    await work();
    if (isKnown) this.#version = await this.handle.version();
  }

  /** LanceDB repeats what can be repeated by itself; what is left are two changes of the same rows, as upkeep makes them. */
  async #again<T>(work: () => Promise<T>): Promise<T> {
    for (let conflicts = 0; ; conflicts++) {
      try {
        return await work();
      } catch (thrown) {
        if (conflicts === conflictsMax || !isConflict(thrown)) throw thrown;
        await this.handle.checkoutLatest();
      }
    }
  }
}
