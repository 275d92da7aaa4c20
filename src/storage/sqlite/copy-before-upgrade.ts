import type { Database } from "bun:sqlite";
import { chmodSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { basename, dirname, extname, join } from "node:path";
import { AppError } from "../../kit/app-error.ts";
import type { Logger } from "../../kit/log.ts";
import { upgradesFolder } from "../backup/data-entries.ts";
import { type AppliedMigration, type Migration, pendingMigrations } from "../migration.ts";

/** Copies kept of one database: the newest ones. */
const copiesKept = 3;

/**
 * Copies the database before its first pending migration to `backups/<name>-before-<migration>.db` beside it, so that an earlier executable
 * can be used again. A new database, or one without pending migrations, is not copied. Throws `upgrade_copy_failed` if there is no room.
 */
export function copyBeforeUpgrade(
  database: Database,
  file: string,
  { service, migrations, log }: { service: string; migrations: readonly Migration[]; log: Logger },
): void {
  const applied = appliedTo(database);
  const [next] = applied.length === 0 ? [] : pendingMigrations(service, migrations, applied);
  if (next === undefined) return;
  const folder = join(dirname(file), upgradesFolder);
  const prefix = `${basename(file, extname(file))}-before-`;
  const copy = join(folder, `${prefix}${next.tag}.db`);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    // From an upgrade that failed; the database may have changed since.
    rmSync(copy, { force: true });
    database.query("VACUUM INTO ?").run(copy);
    chmodSync(copy, 0o600);
  } catch (cause) {
    removeRemains(copy);
    throw copyFailed(file, copy, cause);
  }
  removeOldest(folder, prefix);
  log.info("storage.copied_before_upgrade", { service, copy });
}

function appliedTo(database: Database): AppliedMigration[] {
  const hasTable = database.query("SELECT 1 FROM sqlite_schema WHERE name = '_migrations'").get() !== null;
  if (!hasTable) return [];
  return database.query<AppliedMigration, []>("SELECT tag, sha256 FROM _migrations ORDER BY rowid").all();
}

/** A part of a copy would take the room that is missing. */
function removeRemains(copy: string): void {
  try {
    rmSync(copy, { force: true });
  } catch {
    // The folder itself can't be used, which the copy's own fault says.
  }
}

function removeOldest(folder: string, prefix: string): void {
  const copies = readdirSync(folder)
    .filter((name) => name.startsWith(prefix))
    .map((name) => ({ path: join(folder, name), modifiedMs: statSync(join(folder, name)).mtimeMs }))
    .toSorted((one, other) => other.modifiedMs - one.modifiedMs);
  for (const { path } of copies.slice(copiesKept)) rmSync(path, { force: true });
}

function copyFailed(file: string, copy: string, cause: unknown): AppError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new AppError(
    "unavailable",
    "upgrade_copy_failed",
    `${file} must be upgraded, but its copy ${copy} can't be written: ${reason}.`,
    { cause, details: { hint: "Make room there, and start again. Nothing was changed." } },
  );
}
