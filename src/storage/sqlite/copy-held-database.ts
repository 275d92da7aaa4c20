import { Database, SQLiteError } from "bun:sqlite";
import { constants, createReadStream, createWriteStream } from "node:fs";
import { copyFile, mkdir, realpath, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { AppError } from "../../kit/app-error.ts";
import type { HeldDatabase } from "./database-hold.ts";

/**
 * Copies a held database to `target` as one file without a log. The file may get pages of later commits while it is read, but only from
 * frames of the log up to the held instant, and the copied part of the log has all of these: replaying it gives the state of the instant.
 */
export async function copyHeldDatabase(
  folder: string,
  { path, walBytes }: HeldDatabase,
  target: string,
  signal: AbortSignal,
): Promise<void> {
  await mkdir(dirname(target), { recursive: true, mode: 0o700 });
  // SQLite keeps the log of a linked database beside the file that the link leads to.
  const source = await realpath(join(folder, path));
  await copyFile(source, target, constants.COPYFILE_FICLONE);
  if (walBytes > 0) {
    const log = createReadStream(`${source}-wal`, { end: walBytes - 1 });
    await pipeline(log, createWriteStream(`${target}-wal`, { mode: 0o600 }), { signal });
  }
  foldLog(path, target);
  await rm(`${target}-wal`, { force: true });
  await rm(`${target}-shm`, { force: true });
}

/** Moves the log's frames into the file, and checks the result. */
function foldLog(path: string, target: string): void {
  using copy = namingDamage(path, () => new Database(target));
  namingDamage(path, () => copy.run("PRAGMA wal_checkpoint(TRUNCATE)"));
  requireSound(path, copy);
}

/** Throws `backup_damaged` unless SQLite finds the whole database in order. */
export function requireSound(path: string, database: Database): void {
  const [first] = namingDamage(path, () =>
    database.query<{ integrity_check: string }, []>("PRAGMA integrity_check(1)").all(),
  );
  if (first?.integrity_check === "ok") return;
  throw damaged(path, first?.integrity_check ?? "it gave no answer");
}

function namingDamage<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (thrown) {
    throw damagedDatabase(path, thrown);
  }
}

/** Faults of the disk or of the process, which say nothing about the database. */
const otherFaults = /^SQLITE_(FULL|IOERR|CANTOPEN|NOMEM|BUSY|READONLY|PERM)/;

/** Returns `backup_damaged` for SQLite's fault about a database's content, and any other error as it is. */
export function damagedDatabase(path: string, thrown: unknown): unknown {
  if (!(thrown instanceof SQLiteError) || otherFaults.test(thrown.code ?? "")) return thrown;
  return damaged(path, thrown.message, thrown);
}

const damaged = (path: string, reason: string, cause?: unknown): AppError =>
  new AppError(
    "unavailable",
    "backup_damaged",
    `SQLite finds the database ${path} damaged: ${reason}.`,
    cause === undefined ? {} : { cause },
  );
