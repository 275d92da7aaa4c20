import { Database } from "bun:sqlite";
import { constants, createReadStream, createWriteStream } from "node:fs";
import { copyFile, mkdir, rm } from "node:fs/promises";
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
  await copyFile(join(folder, path), target, constants.COPYFILE_FICLONE);
  if (walBytes > 0) {
    const log = createReadStream(join(folder, `${path}-wal`), { end: walBytes - 1 });
    await pipeline(log, createWriteStream(`${target}-wal`, { mode: 0o600 }), { signal });
  }
  foldLog(path, target);
  await rm(`${target}-wal`, { force: true });
  await rm(`${target}-shm`, { force: true });
}

/** Moves the log's frames into the file, and checks the result. */
function foldLog(path: string, target: string): void {
  using copy = new Database(target);
  copy.run("PRAGMA wal_checkpoint(TRUNCATE)");
  requireSound(path, copy);
}

/** Throws `backup_damaged` unless SQLite finds the whole database in order. */
export function requireSound(path: string, database: Database): void {
  const [first] = database.query<{ integrity_check: string }, []>("PRAGMA integrity_check(1)").all();
  if (first?.integrity_check === "ok") return;
  throw new AppError(
    "unavailable",
    "backup_damaged",
    `SQLite finds the database ${path} damaged: ${first?.integrity_check ?? "it gave no answer"}.`,
  );
}
