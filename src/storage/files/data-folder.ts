import { Database, SQLiteError } from "bun:sqlite";
import { accessSync, constants, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../../kit/app-error.ts";
import { giveToOwner } from "./give-to-owner.ts";

/** A data folder that only this process may write, until `close` or the end of the process for any reason. */
export interface DataFolder {
  readonly path: string;
  close(): void;
}

/** File that is in the folder while a restore exchanges its content. */
export const restoreMark = "restoring";

/**
 * Creates the folder (0700) if it is missing, and takes its lock. Refuses a folder that another process holds, and one whose restore was
 * interrupted, except for another restore.
 */
export function openDataFolder(path: string, { forRestore = false } = {}): DataFolder {
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
  if (!forRestore && existsSync(join(path, restoreMark))) {
    close();
    throw restoreUnfinished(path);
  }
  // This reference also keeps the lock from being collected, and so released, while its owner only uses the folder.
  process.on("exit", close);
  return { path, close };
}

/**
 * Takes SQLite's exclusive lock on an otherwise empty file. The kernel releases it when the process ends, even after kill -9, and children
 * do not inherit it. Two writers of one SQLite file would starve each other.
 */
function takeLock(path: string): Database {
  let lock: Database | undefined;
  try {
    lock = new Database(join(path, "lock"));
    lock.run("BEGIN EXCLUSIVE");
    // A root command may be the first one here.
    giveToOwner(path, join(path, "lock"));
    return lock;
  } catch (cause) {
    lock?.close();
    if (cause instanceof SQLiteError && cause.code?.startsWith("SQLITE_BUSY")) throw inUse(path);
    throw unusableDataFolder(path, cause);
  }
}

function restoreUnfinished(path: string): AppError {
  return new AppError(
    "unavailable",
    "restore_unfinished",
    `A restore into the data folder ${path} was interrupted, so its data is incomplete. Repeat it: \`argosy restore <backup> --force\`. The earlier data is in ${path}/before-restore-….`,
  );
}

/** Returns the error for a folder that another process holds. */
export function inUse(path: string): AppError {
  const holder = pidOf(path);
  const who = holder === undefined ? "another process" : `process ${holder}`;
  const hint = "Stop it first, or give this one another folder with ARGOSY_DATA.";
  return new AppError(
    "conflict",
    "data_folder_in_use",
    `The data folder ${path} is in use by ${who}. ${hint}`,
  );
}

/** Returns the id of the living process that holds the folder, or undefined if there is none. */
export function holderOf(path: string): number | undefined {
  const holder = pidOf(path);
  try {
    if (holder !== undefined) process.kill(holder, 0);
    return holder;
  } catch (thrown) {
    // It is there, and belongs to somebody else.
    return thrown instanceof Error && "code" in thrown && thrown.code === "EPERM" ? holder : undefined;
  }
}

/** Returns the process id that the holder wrote, or undefined if it has not done so yet. */
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
  EDQUOT: "the disk quota of this user is used up",
  SQLITE_FULL: "its disk is full",
  // There was no disk space for the index of the write-ahead log.
  SQLITE_IOERR_SHMSIZE: "its disk is full",
  ENOTDIR: "a part of the path is a file",
  EEXIST: "it is a file",
};

/** Returns the AppError that explains, as far as `cause` tells, why the folder cannot be used. */
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

/** Returns `unusableDataFolder` for an error of the folder's disk that has an explanation here, and any other error as it is. */
export function dataFolderFault(path: string, thrown: unknown): unknown {
  const code = thrown instanceof Error && "code" in thrown ? String(thrown.code) : "";
  return code in reasons && !(thrown instanceof AppError) ? unusableDataFolder(path, thrown) : thrown;
}

/** Returns the path of the socket on which the command line reaches a service of the server that owns the data folder. */
export const controlSocketPath = (folder: string, name = "control.sock"): string => join(folder, name);
