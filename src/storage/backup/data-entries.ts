import { closeSync, openSync, readSync } from "node:fs";
import { join } from "node:path";

/** Beginning of the names of folders that hold a backup's files while it is made. */
export const stagingPrefix = ".backup-";
/** Folder of the copies that an upgrade makes, beside each database. */
export const upgradesFolder = "backups";
/** Folder of the backups that are made in the data folder itself, with the list of all of them. */
export const archivesFolder = "archives";
/** Beginning of the names of folders that a restore works in. */
export const restorePrefix = ".restore-";
/** Beginning of the names of folders to which a restore moves the data that it replaces. */
export const replacedPrefix = "before-restore-";

const volatile = [
  // Facts about the process that owns the folder.
  /^(lock|lock-journal|pid|[^/]*\.sock)$/,
  // SQLite's own files: a backup takes them together with their database.
  /-(wal|shm|journal)$/,
  // Values of manifests, kept for the next start of the same program.
  /^manifest-values\.json$/,
  // Unpacked from the executable when needed.
  /^native(\/|$)/,
  // Backups: one would contain all those before it.
  new RegExp(`^${archivesFolder}(/|$)`),
  // Copies made before an upgrade.
  new RegExp(`(^|/)${upgradesFolder}/[^/]+-before-[^/]+\\.db$`),
  // A file that is being written.
  /(^|\/)\.[^/]*\.draft$/,
];

/** Returns true for entries of a data folder that no backup has. `path` is below the folder, with `/`. */
export function isVolatile(path: string): boolean {
  const [top = ""] = path.split("/");
  if ([stagingPrefix, restorePrefix, replacedPrefix].some((prefix) => top.startsWith(prefix))) return true;
  return volatile.some((pattern) => pattern.test(path));
}

const magic = "SQLite format 3\0";

/** Returns true if a file of the data folder is a SQLite database, by its first bytes. Vectors have thousands of files and no database. */
export function isSqliteFile(folder: string, path: string): boolean {
  if (path.startsWith("vectors/")) return false;
  const file = openSync(join(folder, path), "r");
  try {
    const head = Buffer.alloc(magic.length);
    return readSync(file, head, 0, magic.length, 0) === magic.length && head.toString("latin1") === magic;
  } finally {
    closeSync(file);
  }
}
