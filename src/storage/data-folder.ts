import { Database, SQLiteError } from "bun:sqlite";
import { accessSync, constants, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../kit/app-error.ts";

/** A data folder that this process alone may write, until `close` or its end, whatever ends it. */
export interface DataFolder {
  readonly path: string;
  close(): void;
}

/** Makes the folder (0700) when it is missing, and takes its lock; refuses a folder that another process holds. */
export function openDataFolder(path: string): DataFolder {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (cause) {
    throw unusableDataFolder(path, cause);
  }
  const lock = takeLock(path);
  const pidFile = join(path, "pid");
  const close = () => {
    process.off("exit", close);
    rmSync(pidFile, { force: true });
    lock.close();
  };
  try {
    writeFileSync(pidFile, `${process.pid}\n`, { mode: 0o600 });
  } catch (cause) {
    close();
    throw unusableDataFolder(path, cause);
  }
  // Also what keeps the lock from being collected, and so given back, while its owner only works in the folder.
  process.on("exit", close);
  return { path, close };
}

/**
 * SQLite's exclusive lock on an otherwise empty file: the kernel gives it back when the process ends, also after kill -9,
 * and children don't inherit it. Two writers of one SQLite file would starve each other.
 */
function takeLock(path: string): Database {
  let lock: Database | undefined;
  try {
    lock = new Database(join(path, "lock"));
    lock.run("BEGIN EXCLUSIVE");
    return lock;
  } catch (cause) {
    lock?.close();
    if (cause instanceof SQLiteError && cause.code?.startsWith("SQLITE_BUSY")) throw inUse(path);
    throw unusableDataFolder(path, cause);
  }
}

function inUse(path: string): AppError {
  const holder = pidOf(path);
  const who = holder === undefined ? "another process" : `process ${holder}`;
  const hint = "Stop it first, or give this one another folder with ARGOSY_DATA.";
  return new AppError(
    "conflict",
    "data_folder_in_use",
    `The data folder ${path} is in use by ${who}. ${hint}`,
  );
}

/** What the holder wrote down; it may not have come to that yet. */
function pidOf(path: string): number | undefined {
  try {
    return Number.parseInt(readFileSync(join(path, "pid"), "utf8"), 10) || undefined;
  } catch {
    return undefined;
  }
}

const reasons: Record<string, string> = {
  EACCES: "this user may not write it",
  EPERM: "this user may not write it",
  EROFS: "its file system is read-only",
  ENOSPC: "its disk is full",
  SQLITE_FULL: "its disk is full",
  // The space for the write-ahead log's index could not be had.
  SQLITE_IOERR_SHMSIZE: "its disk is full",
  ENOTDIR: "a part of the path is a file",
  EEXIST: "it is a file",
};

/** The AppError that says why the folder can't be used, as far as what was thrown tells. */
export function unusableDataFolder(path: string, cause: unknown): AppError {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  const reason = reasons[code] ?? "it can't be written";
  const hint = "Mend that, or name another folder with ARGOSY_DATA.";
  return new AppError(
    "unavailable",
    "data_folder_unusable",
    `The data folder ${path} can't be used: ${reason}. ${hint}`,
    { cause },
  );
}
