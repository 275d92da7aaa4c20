import { accessSync, closeSync, constants, openSync, readSync } from "node:fs";
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
/** Folder of the tenants' files. Their names and bytes are the tenants' own, so no rule about names may apply to them. */
const tenantsFolder = "tenants";
/** Folder that a file system keeps at its root for `fsck`. */
export const lostAndFound = "lost+found";

const volatile = [
  // Facts about the process that owns the folder.
  /^(lock|lock-journal|pid|[^/]*\.sock)$/,
  // Values of manifests, kept for the next start of the same program.
  /^manifest-values\.json$/,
  // Unpacked from the executable when needed.
  /^native(\/|$)/,
  // Backups: one would contain all those before it.
  new RegExp(`^${archivesFolder}(/|$)`),
  // Copies made before an upgrade, beside Argosy's databases.
  new RegExp(`^(memory/(.+/)?)?${upgradesFolder}/[^/]+-before-[^/]+\\.db$`),
  // A file that is being written.
  /(^|\/)\.[^/]*\.draft$/,
];

const isTenants = (path: string): boolean => path.startsWith(`${tenantsFolder}/`);

/** A staging folder in a folder that is on another disk than the data folder. */
const stagingElsewhere = /^[^/]+\/\.backup-\d+-[0-9a-f-]{36}(\/|$)/;

/** Returns true for entries of a data folder that no backup has. `path` is below the folder, with `/`. */
export function isVolatile(path: string): boolean {
  const [top = ""] = path.split("/");
  if ([stagingPrefix, restorePrefix, replacedPrefix].some((prefix) => top.startsWith(prefix))) return true;
  if (stagingElsewhere.test(path)) return true;
  return !isTenants(path) && volatile.some((pattern) => pattern.test(path));
}

const ownDatabase = /^([^/]+\.db|memory\/.+\.(db|sqlite3?))$/;

/** Returns true for the names of Argosy's own databases: those of the services, and those of agents' memory. */
export const isOwnDatabase = (path: string): boolean => ownDatabase.test(path);

/** Returns true for files without which a backup is worth nothing. */
export const isEssential = (path: string): boolean => isOwnDatabase(path) || path === "secrets.json";

const ofDatabase = /-(wal|shm|journal)$/;

/** Returns the database that a file with SQLite's own ending would belong to; undefined for other names. */
export const databaseOf = (path: string): string | undefined =>
  ofDatabase.test(path) ? path.replace(ofDatabase, "") : undefined;

const magic = "SQLite format 3\0";

/**
 * Returns true if a file of the data folder is to be treated as a SQLite database, by its first bytes. Tenants' files never are: SQLite may
 * read a crafted file for hours, and deletes files that a crafted journal names. Argosy's tools replace them as a whole, so that a plain
 * copy is a consistent one. Vectors have thousands of files and no database.
 */
export function isSqliteFile(folder: string, path: string): boolean {
  if (path.startsWith("vectors/") || isTenants(path)) return false;
  const file = openSync(join(folder, path), "r");
  try {
    const head = Buffer.alloc(magic.length);
    return readSync(file, head, 0, magic.length, 0) === magic.length && head.toString("latin1") === magic;
  } finally {
    closeSync(file);
  }
}

/** Returns true if this user may read the entry, and for a folder also enter it. */
export function isReadable(path: string, isFolder: boolean): boolean {
  try {
    accessSync(path, isFolder ? constants.R_OK | constants.X_OK : constants.R_OK);
    return true;
  } catch (thrown) {
    // An entry that is gone is not an entry that can't be read.
    return !["EACCES", "EPERM"].includes(String((thrown as { code?: unknown }).code));
  }
}
