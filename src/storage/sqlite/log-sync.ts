import { closeSync, fdatasync, openSync } from "node:fs";
import { promisify } from "node:util";

/** Brings what is committed to a database's write-ahead log to disk. */
export interface LogSync {
  /** Resolves when everything that was committed before the call would survive a loss of power. */
  sync(): Promise<void>;
  close(): void;
}

const synchronise = promisify(fdatasync);

/**
 * Opens the write-ahead log of a database whose writer has `synchronous=NORMAL`: SQLite then writes a commit to the log and leaves the disk's
 * confirmation, about a millisecond, to this function. It waits on another thread, so that the main thread goes on with other work. SQLite
 * itself still synchronises the log before its pages move to the database file (https://sqlite.org/pragma.html#pragma_synchronous).
 * The log stays the same file as long as the writer is open.
 */
export function openLogSync(database: string): LogSync {
  const file = openSync(`${database}-wal`, "r+");
  return { sync: () => synchronise(file), close: () => closeSync(file) };
}
