import { Database } from "bun:sqlite";
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/bun-sqlite";
import { AppError } from "../../kit/app-error.ts";
import { databaseError } from "../database-error.ts";
import { diskReserve } from "../files/disk-reserve.ts";
import { type Query, type ReadQuery, type Storage, type StorageOptions, writeCheck } from "../storage.ts";
import { columnsOfSqlite } from "../tables/columns.ts";
import { ownTables } from "../tables/own-tables.ts";
import { newScope, refuseInsideTransaction, TransactionScopes } from "../transaction-scope.ts";
import { CommitQueue } from "./commit-queue.ts";
import { copyBeforeUpgrade } from "./copy-before-upgrade.ts";
import { type Guard, guardedClient } from "./guarded-client.ts";
import { LogCheckpoints } from "./log-checkpoints.ts";
import { openLogSync } from "./log-sync.ts";
import { migrateSqlite } from "./migrate-sqlite.ts";

/** Bun caches 20 statements by default and compiles the others again; a service has a few hundred at most. */
const statementsKeptMax = 500;

/**
 * Readiness checks after which the write-ahead log moves to the database file, so that the next ones overwrite it. Each appends 4 KiB, and
 * SQLite itself would wait for 4 MiB, more than a small disk may have.
 */
const checksInLogMax = 16;

/** Opens the service's file in the data folder and migrates it. The folder's lock makes this process its only writer. */
export function openSqlite<Tables>(options: StorageOptions<Tables>): Storage<Tables> {
  const { service, clock } = options;
  const log = options.log.with({ service });
  const file = options.file ?? join(options.folder, `${service}.db`);
  const writer = namingFaults(() => openWriter(file, options));
  const reader = namingFaults(() => new Database(file, { readonly: true }));

  const tables = { ...options.tables(columnsOfSqlite), ...ownTables(columnsOfSqlite) };
  const scopes = new TransactionScopes<Database>(clock, log);
  const logSync = namingFaults(() => openLogSync(file));
  const checkpoints = options.checkpoints && new LogCheckpoints(file, writer, options.checkpoints);
  const queue = new CommitQueue(writer, logSync.sync, {
    faults: options.faults,
    committed: () => checkpoints?.committed(),
  });
  let checksInLog = 0;
  let closed = false;
  const refuseClosed = () => {
    if (closed) throw new AppError("unavailable", "storage_closed", `The ${service} storage is closed.`);
  };

  const readGuard: Guard = (step) => {
    refuseInsideTransaction("A read outside the transaction was tried");
    refuseClosed();
    return namingFaults(step);
  };
  const writeGuard: Guard = (step) => {
    scopes.connection();
    try {
      return step();
    } catch (thrown) {
      throw scopes.fail(thrown);
    }
  };
  const read = handle<ReadQuery>(guardedClient(reader, readGuard));
  const tx = handle<Query>(guardedClient(writer, writeGuard));

  const storage: Storage<Tables> = {
    dialect: "sqlite",
    tables,
    read,
    disk: diskReserve(options.folder, () => clock.monotonicMs()),
    async transact(run) {
      refuseInsideTransaction("A second transaction was begun");
      refuseClosed();
      return queue.add(() => scopes.run(newScope(), writer, () => run(tx)));
    },
    instant: (offsetMs = 0) => sql`${clock.now().getTime() + offsetMs}`,
    async check() {
      await writeCheck(storage);
      checksInLog++;
      // A transaction that runs already ends in a checkpoint of its own when the log is large.
      if (checksInLog < checksInLogMax || writer.inTransaction) return;
      namingFaults(() => writer.run("PRAGMA wal_checkpoint(PASSIVE)"));
      checksInLog = 0;
    },
    async close() {
      if (closed) return;
      closed = true;
      await queue.idle();
      await checkpoints?.close();
      reader.close();
      try {
        writer.run("PRAGMA wal_checkpoint(TRUNCATE)");
      } catch (thrown) {
        // A full disk: all committed data is in the write-ahead log, which the next start reads.
        log.warn("storage.checkpoint_failed", { err: databaseError(thrown) });
      }
      writer.close();
      logSync.close();
    },
  };
  return storage;
}

/** A service's file, for reading alone. */
export interface SqliteReader<Tables> extends Pick<Storage<Tables>, "read"> {
  readonly tables: Tables;
  close(): void;
}

/** Opens the service's file for reading, also beside the process that writes it, and does not migrate it. */
export function readSqlite<Tables>({
  service,
  folder,
  tables,
}: Pick<StorageOptions<Tables>, "service" | "folder" | "tables">): SqliteReader<Tables> {
  const reader = namingFaults(() => new Database(join(folder, `${service}.db`), { readonly: true }));
  return {
    tables: tables(columnsOfSqlite),
    read: handle<ReadQuery>(guardedClient(reader, namingFaults)),
    close: () => reader.close(),
  };
}

function openWriter(file: string, options: StorageOptions<unknown>): Database {
  const { service, migrations, clock, log } = options;
  const inFolder = options.file === undefined;
  Database.MAX_QUERY_CACHE_SIZE = statementsKeptMax;
  const writer = new Database(file);
  try {
    // The write-ahead log inherits the file's mode.
    chmodSync(file, 0o600);
    writer.run("PRAGMA journal_mode = WAL");
    writer.run("PRAGMA synchronous = FULL");
    copyBeforeUpgrade(writer, file, { service, migrations: migrations.sqlite, log });
    migrateSqlite(writer, service, migrations.sqlite, clock);
    // The lock on the data folder proves that the processes that held them are dead.
    if (inFolder)
      writer.run("UPDATE leases SET expires_at = ?1 WHERE expires_at > ?1", [clock.now().getTime()]);
    // From now on the queue waits for the disk, on another thread.
    writer.run("PRAGMA synchronous = NORMAL");
    return writer;
  } catch (thrown) {
    writer.close();
    throw thrown;
  }
}

/** Types drizzle's sync driver like PostgreSQL's: the builders accept the same calls, and awaiting works on both. */
const handle = <Handle>(client: Database): Handle => drizzle({ client }) as unknown as Handle;

function namingFaults<Result>(step: () => Result): Result {
  try {
    return step();
  } catch (thrown) {
    throw databaseError(thrown);
  }
}
