import { closeSync, existsSync, openSync, readSync, statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { authorizer } from "./sqlite-authorizer.ts";

/** Maximum wait for another process that has locked the database, in milliseconds. */
const BUSY_MS = 1000;
/** Maximum size of a value and of a row during a statement; results are far smaller. */
const VALUE_BYTES_MAX = 64 * 1024 * 1024;
/** Position of the header byte with the read version, and its value for a write-ahead log. */
const READ_VERSION_AT = 19;
const USES_WAL = 2;

/** A connection for one statement. */
export interface SqliteConnection {
  database: DatabaseSync;
  /** Returns true if another connection has written unnoticed, so that the result may be inconsistent. */
  isStale(): boolean;
}

/** Opens a database for one statement with an authorizer. With `readOnly`, nothing on the disk is changed. */
export function openSqlite(path: string, readOnly: boolean): SqliteConnection {
  const {
    location,
    isStale,
    before = "",
  } = readOnly ? quietLocation(path) : { location: path, isStale: () => false };
  const database = new DatabaseSync(location, {
    readOnly,
    allowExtension: false,
    readBigInts: true,
    timeout: BUSY_MS,
    enableForeignKeyConstraints: true,
    limits: { length: VALUE_BYTES_MAX, sqlLength: 1_000_000, attach: 0, variableNumber: 1000 },
  });
  try {
    // Keeps sorting and temporary tables out of files.
    database.exec(`${before}PRAGMA temp_store = MEMORY; PRAGMA query_only = ${readOnly ? "ON" : "OFF"}`);
    database.enableDefensive(true);
    database.setAuthorizer(authorizer(readOnly));
    return { database, isStale };
  } catch (thrown) {
    database.close();
    throw thrown;
  }
}

interface Location extends Pick<SqliteConnection, "isStale"> {
  location: string;
  before?: string;
}

/**
 * Location for opening the file without side effects. The first reader of a database with a write-ahead log would create the log and its
 * index. If there is no index, no process has the database open: it is read as it is, and then checked for changes.
 */
function quietLocation(path: string): Location {
  if (!usesWal(path) || existsSync(`${path}-shm`)) return { location: path, isStale: () => false };
  const before = stateOf(path);
  const isStale = () => existsSync(`${path}-shm`) || stateOf(path) !== before;
  const url = pathToFileURL(path).href;
  if (sizeOf(`${path}-wal`) === 0) return { location: `${url}?immutable=1`, isStale };
  // A log left by a crash or a copy: its index is created in memory, under an exclusive lock that does not block other processes.
  return { location: `${url}?vfs=unix-none`, isStale, before: "PRAGMA locking_mode = EXCLUSIVE; " };
}

function usesWal(path: string): boolean {
  const file = openSync(path, "r");
  try {
    const header = new Uint8Array(READ_VERSION_AT + 1);
    return readSync(file, header) === header.length && header[READ_VERSION_AT] === USES_WAL;
  } finally {
    closeSync(file);
  }
}

/** Text that changes after a write. */
function stateOf(path: string): string {
  const main = statSync(path, { bigint: true });
  return `${main.ino} ${main.size} ${main.mtimeNs} ${sizeOf(`${path}-wal`)}`;
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
