import type { Index, Table } from "@lancedb/lancedb";
import type { Schema } from "apache-arrow";
import { inPieces } from "../../../kit/concurrency/others-turn.ts";
import { isConflict } from "./lance-fault.ts";
import type { LanceLibrary } from "./native/lance-library.ts";
import { arrowRows, rowSchema, wordsOf } from "./rows/arrow-rows.ts";
import { KnownIds } from "./rows/known-ids.ts";
import { joinedRows, type RowColumns } from "./rows/row-columns.ts";
import { sqlIn } from "./sql-literal.ts";
import { WriteQueue } from "./write-queue.ts";

/** Maximum rows per commit, unless a single addition has more. */
const rowsTogetherMax = 10_000;
/** Additions with fewer rows look up their ids in the table; for larger ones, loading all ids is faster. */
const knownFromRows = 256;
/** After this many consecutive small additions, loading all ids is faster, too. */
const lookupsMax = 16;
const conflictsMax = 5;
/** Bounds of the small additions that may leave files before the next compaction. */
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
  /** Called after each write. */
  wrote: () => void;
  /** Calls `optimize` of the table; never throws. */
  compact: (table: LanceTable) => Promise<void>;
  /** Returns memory that earlier work has freed. */
  trimHeaps: () => void;
}

/** The open table of a collection with its only writer. */
export class LanceTable {
  readonly name: string;
  readonly handle: Table;
  readonly dimension: number;
  /** Partitions of the vector index; 0: no index. */
  partitions = 0;
  /** True if rows were removed or replaced since the last compaction. */
  hasRemoved = false;
  /** True if there may be old versions with more than a few small files. */
  isStale = true;
  readonly #arrow: LanceLibrary["arrow"];
  readonly #schema: Schema;
  readonly #writes: WriteQueue<RowColumns>;
  readonly #wrote: () => void;
  readonly #compact: (table: LanceTable) => Promise<void>;
  readonly #trimHeaps: () => void;
  /** Compaction or build of an index under way; never rejects. */
  #rewriting: Promise<void> | undefined;
  #compacting: Promise<void> | undefined;
  /** Number of rows at the last compaction. */
  #rows = 0;
  /** Small additions since the last compaction, each of which left a file, and their maximum. */
  #commits = 0;
  #commitsMax = commitsMin;
  /** Number of small additions whose ids were looked up in the table. */
  #lookups = 0;
  #known: KnownIds | undefined;
  /** Version of the table for `#known`; another writer's commits change it. */
  #version = 0;

  constructor({ library, name, handle, dimension, wrote, compact, trimHeaps }: LanceTableParts) {
    this.name = name;
    this.handle = handle;
    this.dimension = dimension;
    this.#arrow = library.arrow;
    this.#wrote = wrote;
    this.#compact = compact;
    this.#trimHeaps = trimHeaps;
    this.#schema = rowSchema(library.arrow, dimension);
    this.#writes = new WriteQueue((parts) => this.#commit(parts), rowsTogetherMax);
  }

  /** Adds rows and replaces those with existing ids in one commit, so that a crash leaves all or none. */
  add(rows: RowColumns): Promise<void> {
    return this.#writes.add(rows, rows.ids.length);
  }

  /** Removes matching rows; `find` is called when it is this write's turn. */
  remove(find: () => Promise<string[]> | string[]): Promise<void> {
    return this.#writes.alone(async () => {
      const conditions = await find();
      await this.#keepingKnown(async () => {
        for (const where of conditions) {
          await this.#again(() => this.handle.delete(where));
          this.hasRemoved = true;
          this.#wrote();
        }
      });
    });
  }

  /**
   * Builds an index; if rows are added concurrently, tries again with them. Returns false if a compaction or another build is running.
   */
  index(column: string, name: string, config: Index): Promise<boolean> {
    return this.#rewrite(() =>
      this.#again(() => this.handle.createIndex(column, { name, config, replace: true })),
    );
  }

  /**
   * Compacts small files, updates indexes and removes versions older than `olderThan`. Returns false if a compaction or the build of an
   * index is running.
   */
  optimize(olderThan: Date): Promise<boolean> {
    return this.#rewrite(async () => {
      this.#commits = 0;
      await this.handle.optimize({ cleanupOlderThan: olderThan });
      this.#rows = await this.handle.countRows();
      this.#commitsMax = Math.min(commitsMax, Math.max(commitsMin, Math.round(Math.sqrt(this.#rows))));
    });
  }

  /** Runs work that reads all rows, unless some is running: two would conflict, and take their memory at the same time. */
  async #rewrite(work: () => Promise<void>): Promise<boolean> {
    if (this.#rewriting !== undefined) return false;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#rewriting = promise;
    try {
      this.#trimHeaps();
      await work();
      return true;
    } finally {
      this.#rewriting = undefined;
      resolve();
    }
  }

  /**
   * Starts a compaction when due. A table of many small files is slow to read and to extend, and each of its versions lists them all. A
   * compaction rewrites all rows, so it is due after as many small additions as the square root of the rows. Additions to a small table
   * wait for it, which takes a moment; those to a large one continue in parallel until the next one is due. The time of a compaction grows
   * with the square of the files, so additions that outran it once, on a busy machine, would outrun it forever.
   */
  #compactWhenDue(): void {
    if (++this.#commits % trimEvery === 0) this.#trimHeaps();
    if (this.#commits < this.#commitsMax) return;
    const running = this.#rewriting;
    if (running !== undefined) return void this.#writes.alone(() => running);
    this.#commits = 0;
    if (this.#rows > rowsWaitedForMax) this.#compacting = this.#compact(this);
    // The same failure occurs in the next addition, which reports it.
    else this.#writes.alone(() => this.#keepingKnown(() => this.#compact(this))).catch(() => undefined);
  }

  /** Resolves when pending writes and compactions have ended: a table in use can't be closed. */
  async close(): Promise<void> {
    await this.#writes.alone(async () => undefined);
    await this.#compacting;
    this.handle.close();
  }

  async #commit(parts: readonly RowColumns[]): Promise<void> {
    const rows = joinedRows(parts, this.dimension);
    const words = await inPieces(wordsOf(rows.ids.map((id, at) => ({ id, text: rows.texts[at] ?? "" }))));
    const data = arrowRows(this.#arrow, { rows, words }, this.#schema, this.dimension);
    try {
      // Without this check, a repeated call would duplicate its rows.
      const isReplacing = await this.#hasAny(rows.ids);
      const { version } = await this.#again(() => (isReplacing ? this.#merge(data) : this.handle.add(data)));
      if (isReplacing) this.hasRemoved = true;
      this.#wrote();
      if (this.#known !== undefined && version === this.#version + 1) this.#known.add(rows.ids);
      else this.#known = undefined;
      this.#version = version;
    } catch (thrown) {
      // It is unknown whether the rows were stored.
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

  /** A single lookup costs less than reading all ids of the table, many lookups cost more. */
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

  /** Runs work that adds no ids; removed ids may remain among the known ones. */
  async #keepingKnown(work: () => Promise<void>): Promise<void> {
    const isKnown = await this.#isKnown();
    await work();
    if (isKnown) this.#version = await this.handle.version();
  }

  /** LanceDB retries conflicts that it can resolve. The rest are concurrent changes of the same rows, as by maintenance. */
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
