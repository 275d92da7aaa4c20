import { Database, SQLiteError } from "bun:sqlite";
import { existsSync } from "node:fs";
import { AppError } from "../../kit/app-error.ts";

/** The right to be the only process of Argosy that writes a file. The kernel revokes it when the process ends. */
export interface FileLock {
  release(): void;
}

/**
 * Locks a SQLite file outside of the data folder for this process. Refuses a file that another process has, and a database that is not
 * Argosy's.
 */
export function lockOwnFile(file: string): FileLock {
  requireOurs(file);
  let lock: Database | undefined;
  try {
    // The file itself cannot be locked: SQLite's write-ahead log needs its own locks there.
    lock = new Database(`${file}-lock`);
    lock.run("BEGIN EXCLUSIVE");
  } catch (cause) {
    lock?.close();
    const isTaken = cause instanceof SQLiteError && cause.code?.startsWith("SQLITE_BUSY");
    throw unusable(file, isTaken ? "another process uses it" : "it can't be written", cause);
  }
  const heldLock = lock;
  return { release: () => heldLock.close() };
}

function requireOurs(file: string): void {
  if (!existsSync(file)) return;
  let tables: string[];
  try {
    using database = new Database(file, { readonly: true });
    tables = database
      .query<{ name: string }, []>("SELECT name FROM sqlite_schema WHERE type = 'table'")
      .all()
      .map(({ name }) => name);
  } catch (cause) {
    throw unusable(file, "it is not an SQLite database that can be read", cause);
  }
  if (tables.length > 0 && !tables.includes("_migrations"))
    throw unusable(file, "it is another program's database");
}

function unusable(file: string, reason: string, cause?: unknown): AppError {
  return new AppError("unavailable", "storage_unavailable", `The file ${file} can't be used: ${reason}.`, {
    cause,
  });
}
