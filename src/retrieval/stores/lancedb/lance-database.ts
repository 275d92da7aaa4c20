import type { Connection } from "@lancedb/lancedb";
import { AdmissionGate } from "../../../kit/concurrency/admission-gate.ts";
import { dimensionMismatch } from "../store-failure.ts";
import type { CollectionKey, VectorCollection } from "../vector-store.ts";
import { lanceCollection, type UseTable } from "./lance-collection.ts";
import { isConflict, isMissingTable, isPresentTable, lanceFault } from "./lance-fault.ts";
import type { LanceLimits, LanceStoreOptions } from "./lance-options.ts";
import {
  connectObjectStore,
  dropTable,
  folderOfPlace,
  prepareFolder,
  requireWritable,
} from "./lance-place.ts";
import { LanceTable } from "./lance-table.ts";
import type { LanceLibrary } from "./native/lance-library.ts";
import { heapTrimmer } from "./native/native-memory.ts";
import { OpenTables } from "./open-tables.ts";
import { dimensionOf, rowSchema, wordsColumn } from "./rows/arrow-rows.ts";
import { dropOldWords, renewWords } from "./rows/renew-words.ts";
import { tableName } from "./table-name.ts";
import { readIndexes, tendTable, versionsKeptMs, wordIndex, wordsIndex } from "./tend-table.ts";

/** Interval at which changes by other processes are read: a check in each search would double the time of a small one. */
const staleSecondsMax = 2;

/** A connected store. */
export class LanceDatabase {
  readonly #library: LanceLibrary;
  readonly #connection: Connection;
  readonly #options: LanceStoreOptions;
  readonly #folder: string | undefined;
  readonly #tables: OpenTables;
  readonly #gate: AdmissionGate;
  /** Putting files together takes memory in pieces between which others stay. */
  readonly #trimHeaps = heapTrimmer();
  /** Tables to look at when upkeep comes around. */
  #untended = new Set<string>();
  /** Tables that this process has written to. */
  readonly #written = new Set<string>();
  /** True once maintenance has checked all tables. */
  #hasSeenAll = false;

  private constructor(
    library: LanceLibrary,
    connection: Connection,
    options: LanceStoreOptions,
    limits: LanceLimits,
  ) {
    this.#library = library;
    this.#connection = connection;
    this.#options = options;
    this.#folder = folderOfPlace(options.place);
    this.#tables = new OpenTables((name, dimension) => this.#open(name, dimension), limits.openTablesMax);
    this.#gate = new AdmissionGate({
      inFlightMax: limits.searchesAtOnce,
      waitingMax: limits.searchesWaitingMax,
      isBrief: true,
    });
  }

  static async connect(options: LanceStoreOptions, limits: LanceLimits): Promise<LanceDatabase> {
    const library = await options.load();
    const { lance } = library;
    const { place } = options;
    const folder = folderOfPlace(place);
    if (folder !== undefined) await prepareFolder(folder);
    const session = new lance.Session(BigInt(limits.indexCacheBytes), BigInt(limits.metadataCacheBytes));
    // Passed as an option: the library ignores its third argument, although it is documented for this.
    const reading = { readConsistencyInterval: staleSecondsMax, session };
    const connection =
      folder === undefined
        ? await connectObjectStore(options, (storage) =>
            lance.connect(place, { ...reading, storageOptions: storage }),
          )
        : await lance.connect(folder, reading);
    return new LanceDatabase(library, connection, options, limits);
  }

  async open(key: CollectionKey, dimension: number): Promise<VectorCollection> {
    const name = tableName(key);
    const known = await this.#use(name, dimension, async (table) => table.dimension);
    if (known !== undefined && known !== dimension) throw dimensionMismatch(known, dimension);
    const use: UseTable = (make, work) => this.#use(name, make ? dimension : undefined, work);
    const { ownerOf } = this.#options;
    const enter = (signal: AbortSignal) => this.#gate.enter(signal, ownerOf?.(key.tenant) ?? key.tenant);
    return lanceCollection(dimension, use, enter);
  }

  async drop(key: CollectionKey): Promise<void> {
    const name = tableName(key);
    await this.#tables.without(name, () => dropTable(this.#connection, this.#folder, name));
    this.#untended.delete(name);
  }

  async check(): Promise<void> {
    if (this.#folder !== undefined) await requireWritable(this.#folder);
    await this.#connection.tableNames({ limit: 1 });
  }

  /** Checks every table once, and then those that were written. */
  async maintain(signal: AbortSignal): Promise<void> {
    if (!this.#hasSeenAll) for (const name of await this.#allNames()) this.#untended.add(name);
    this.#hasSeenAll = true;
    for (const name of [...this.#untended]) {
      if (signal.aborted) return;
      // A concurrent write adds the name again.
      this.#untended.delete(name);
      if (await this.#tend(name)) this.#untended.add(name);
    }
  }

  /** Checks the tables that this process has written to, when it writes and searches no more. */
  async finish(): Promise<void> {
    for (const name of this.#written) await this.#tend(name, true);
  }

  /** Resolves when pending writes have ended. */
  async close(): Promise<void> {
    await this.#tables.closeAll();
    this.#connection.close();
  }

  #use<T>(
    name: string,
    dimension: number | undefined,
    work: (table: LanceTable) => Promise<T>,
  ): Promise<T | undefined> {
    if (dimension !== undefined) this.#untended.add(name);
    return this.#tables.use(name, dimension, work);
  }

  async #open(name: string, made: number | undefined): Promise<LanceTable | undefined> {
    const handle = await this.#connection.openTable(name).catch((thrown) => {
      if (!isMissingTable(thrown)) throw thrown;
      return made === undefined ? undefined : this.#make(name, made);
    });
    if (handle === undefined) return undefined;
    const schema = await handle.schema();
    const dimension = dimensionOf(schema);
    if (dimension === undefined) throw new Error(`${name} has no vectors: Argosy didn't make it.`);
    const compact = (table: LanceTable) => this.#compact(table);
    const trimHeaps = this.#trimHeaps;
    const wrote = () => void this.#written.add(name);
    const library = this.#library;
    const table = new LanceTable({ library, name, handle, dimension, wrote, compact, trimHeaps });
    const { hasWordsIndex } = await readIndexes(table);
    if (hasWordsIndex) return table;
    await renewWords(library, table);
    await table.index(wordsColumn, wordsIndex, wordIndex(library));
    await dropOldWords(table);
    return table;
  }

  #make(name: string, dimension: number) {
    return this.#connection
      .createEmptyTable(name, rowSchema(this.#library.arrow, dimension))
      .catch((thrown) => {
        // Another process created it first.
        if (isPresentTable(thrown) || isConflict(thrown)) return this.#connection.openTable(name);
        throw thrown;
      });
  }

  get #keptMs(): number {
    return this.#folder === undefined ? versionsKeptMs.objectStore : versionsKeptMs.folder;
  }

  async #compact(table: LanceTable): Promise<void> {
    const { clock, log } = this.#options;
    try {
      await table.optimize(new Date(clock.now().getTime() - this.#keptMs));
    } catch (thrown) {
      // The disk may be full. The rows are stored; maintenance and later additions try again.
      log.warn("vectors.upkeep_failed", { table: table.name, err: lanceFault(thrown) });
    }
    this.#trimHeaps();
  }

  /** Returns true if the table has to be checked again; `isLast` if it won't be, because the process ends. */
  async #tend(name: string, isLast = false): Promise<boolean> {
    const { clock, log } = this.#options;
    // No other process reads a folder, and this one has ended its searches.
    const keptMs = isLast && this.#folder !== undefined ? 0 : this.#keptMs;
    try {
      const again = await this.#tables.use(name, undefined, (table) =>
        tendTable(this.#library, table, { now: clock.now(), keptMs, isLast }),
      );
      return again ?? false;
    } catch (thrown) {
      // A concurrent write, or a full disk: the table is checked again next time.
      log.warn("vectors.upkeep_failed", { table: name, err: lanceFault(thrown) });
      return true;
    } finally {
      this.#trimHeaps();
    }
  }

  async #allNames(): Promise<string[]> {
    const names: string[] = [];
    for (let startAfter = ""; ; ) {
      const page = await this.#connection.tableNames({ startAfter, limit: 1000 });
      names.push(...page);
      const last = page.at(-1);
      if (last === undefined || page.length < 1000) return names;
      startAfter = last;
    }
  }
}
