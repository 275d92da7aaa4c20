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
const conflictsMax = 5;

export interface LanceTableParts {
  library: LanceLibrary;
  name: string;
  handle: Table;
  dimension: number;
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
  #known: KnownIds | undefined;
  /** The version that `#known` is of: another writer's commits show in it. */
  #version = 0;

  constructor({ library, name, handle, dimension }: LanceTableParts) {
    this.name = name;
    this.handle = handle;
    this.dimension = dimension;
    this.#arrow = library.arrow;
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
      for (const where of await find()) {
        await this.#again(() => this.handle.delete(where));
        this.hasRemoved = true;
      }
    });
  }

  /** Builds an index, over new rows too when they come between. */
  index(column: string, name: string, config: Index): Promise<void> {
    return this.#again(() => this.handle.createIndex(column, { name, config, replace: true }));
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
  }

  #merge(data: ReturnType<typeof arrowRows>) {
    return this.handle.mergeInsert("id").whenMatchedUpdateAll().whenNotMatchedInsertAll().execute(data);
  }

  async #hasAny(ids: readonly string[]): Promise<boolean> {
    await this.handle.checkoutLatest();
    const doubtful = ids.length < knownFromRows ? ids : (await this.#knownIds()).among(ids);
    return doubtful.length > 0 && (await this.handle.countRows(sqlIn("id", doubtful))) > 0;
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
