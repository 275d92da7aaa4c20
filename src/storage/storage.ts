import type { SQL } from "drizzle-orm";
import type { PgDatabase, PgQueryResultHKT } from "drizzle-orm/pg-core";
import type { Clock } from "../kit/clock.ts";
import type { Logger } from "../kit/log.ts";
import type { FaultSwitch } from "../kit/outages/fault-switch.ts";
import type { PostgresServers } from "../kit/postgres/postgres-servers.ts";
import type { Random } from "../kit/retry.ts";
import type { DiskReserve } from "./files/disk-reserve.ts";
import type { ServiceMigrations } from "./migration.ts";
import type { CheckpointThread } from "./sqlite/checkpoint-thread.ts";
import type { Columns, Dialect } from "./tables/columns.ts";
import type { OwnTables } from "./tables/own-tables.ts";

/** The result of a write without `returning` differs between the engines, so stores use `returning`. */
interface NoResult extends PgQueryResultHKT {
  type: unknown;
}

type Database = PgDatabase<NoResult>;

/** Queries allowed outside a transaction. */
export type ReadQuery = Pick<Database, "select" | "selectDistinct" | "$with" | "with" | "$count">;

/** Queries allowed inside a transaction. Always `await` a query: it is not sent before. */
export type Query = ReadQuery & Pick<Database, "insert" | "update" | "delete">;

/** One service's database: a SQLite file or a PostgreSQL schema. Every fault it throws is an AppError. */
export interface Storage<Tables = unknown> {
  readonly dialect: Dialect;
  readonly tables: Tables & OwnTables;
  /** Reads committed data, one statement at a time. Refuses writes, and any use inside a transaction. */
  readonly read: ReadQuery;
  /** The disk of the database, if it is this machine's. */
  readonly disk: DiskReserve;
  /**
   * Runs `run` in a transaction as if it were alone, and resolves once all of it is on disk. Any error rolls everything back, including a
   * failed statement whose error `run` swallows. `run` awaits only queries of its own `tx`, and may be called again after a conflict.
   */
  transact<Result>(run: (tx: Query) => Promise<Result>, options?: TransactOptions): Promise<Result>;
  /**
   * Returns SQL for this instant plus `offsetMs`, by the server's clock if several processes share the database. Use it in a query that
   * runs now, not in a prepared one.
   */
  instant(offsetMs?: number): SQL<Date>;
  /** Throws `storage_unavailable` unless a write commits now. */
  check(): Promise<void>;
  /** Waits for running work and refuses new work. */
  close(): Promise<void>;
}

export interface TransactOptions {
  /**
   * `read committed` is for a claim: its one statement locks all the rows that it relies on. With `serializable`, it would run again for
   * each concurrent claim. SQLite runs every transaction alone in any case.
   */
  isolation?: "serializable" | "read committed";
  /** For the renewal of a lease: goes before other transactions that wait for a connection. In SQLite transactions are short. */
  urgent?: boolean;
}

export interface StorageOptions<Tables> {
  service: string;
  tables: (columns: Columns) => Tables;
  migrations: ServiceMigrations;
  /** A PostgreSQL URL; without it, the service's database is a SQLite file in `folder`. */
  url?: string;
  /** The data folder, locked by this process. */
  folder: string;
  /** The SQLite file, if it is a different one; no other process may write it. */
  file?: string;
  log: Logger;
  clock: Clock;
  /** The PostgreSQL servers that this process knows; the storage's own unless given. */
  servers?: PostgresServers | undefined;
  /** Moves SQLite's write-ahead logs outside the event loop; SQLite does it inside, unless given. */
  checkpoints?: CheckpointThread | undefined;
  /** Faults that a drill injects. */
  faults?: Pick<FaultSwitch, "fullDisk">;
  /** The time that one statement may take in PostgreSQL; the usual one unless given. */
  statementMs?: number;
  /** Spreads the retries of transactions that met. */
  random: Random;
  /** Counts each attempt of a transaction that the server refused because of others. */
  onConflict?: (() => void) | undefined;
}

/** Commits one small row: only a write proves that the disk has room and the server accepts writes. */
export async function writeCheck({ tables: { writeChecks }, transact, instant }: Storage): Promise<void> {
  const at = instant();
  await transact((tx) =>
    tx
      .insert(writeChecks)
      .values({ id: "check", at })
      .onConflictDoUpdate({ target: writeChecks.id, set: { at } }),
  );
}
