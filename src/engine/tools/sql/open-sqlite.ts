import { closeSync, existsSync, openSync, readSync, statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { authorizer } from "./sqlite-authorizer.ts";

/** How long a statement waits for another process that holds the database. */
const BUSY_MS = 1000;
/** Of one value and one row while the statement runs; what is answered is far less. */
const VALUE_BYTES_MAX = 64 * 1024 * 1024;
/** The byte of the header that says how readers work, and what it says where there is a write-ahead log. */
const READ_VERSION_AT = 19;
const USES_WAL = 2;

/** A connection for one statement. */
export interface SqliteConnection {
  database: DatabaseSync;
  /** Whether somebody wrote in the meantime without this connection noticing: the result may be torn. */
  isStale(): boolean;
}

/** Opens a database for one statement, under its authorizer. With `readOnly` nothing on the disk is touched. */
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
    // Sorting and temporary tables would otherwise become files.
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
 * How to open the file so that even a reader leaves no trace. The first reader of a database with a write-ahead log would
 * make the log and its index beside it. Where there is no index nobody has the database open: it is read as it lies
 * there, and whether it still lies there is checked afterwards.
 */
function quietLocation(path: string): Location {
  if (!usesWal(path) || existsSync(`${path}-shm`)) return { location: path, isStale: () => false };
  const before = stateOf(path);
  const isStale = () => existsSync(`${path}-shm`) || stateOf(path) !== before;
  const url = pathToFileURL(path).href;
  if (sizeOf(`${path}-wal`) === 0) return { location: `${url}?immutable=1`, isStale };
  // A log that a crash or a copy left: its index is made in memory, under an exclusive lock that locks nobody out.
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

/** What differs once somebody has written. */
function stateOf(path: string): string {
  const main = statSync(path, { bigint: true });
  return `${main.ino} ${main.size} ${main.mtimeNs} ${sizeOf(`${path}-wal`)}`;
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
