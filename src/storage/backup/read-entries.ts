import { type Dirent, readdirSync, realpathSync, statSync } from "node:fs";
import { join, sep } from "node:path";
import { AppError } from "../../kit/app-error.ts";
import { isArchivable } from "./archive.ts";
import { isEssential, isReadable, isSqliteFile, isVolatile, lostAndFound } from "./data-entries.ts";

/** Entries of a data folder that a backup takes; paths are below the folder, with `/`. */
export interface Entries {
  /** Files with SQLite's first bytes, without tenants' files. */
  databases: string[];
  files: string[];
  /** Entries that are left out, in sentences. */
  warnings: string[];
}

/** Leaves room for the paths of the data folder and of a backup's or restore's own folder below the system's 4,096 bytes. */
const pathBytesMax = 3_000;

type Visited = { kind: "folder" | "file" } | { kind: "skipped"; because: string } | { kind: "gone" };

/**
 * Reads the entries of a data folder. Links at its top level are followed, because an operator may keep a folder on another disk. Deeper
 * ones, such as a tenant's, are not. Throws `backup_unreadable` for a database or keys that this user can't read.
 */
export function readEntries(folder: string): Entries {
  const entries: Entries = { databases: [], files: [], warnings: [] };
  const root = realpathSync(folder);
  const skip = (path: string, because: string) => {
    if (isEssential(path) && because === unreadable) throw cannotRead(path);
    entries.warnings.push(`${JSON.stringify(path)} is not in this backup: ${because}.`);
  };
  const visit = (below: string) => {
    const inside = entriesIn(join(folder, below));
    // A LanceDB version names its data files, so it is taken before them: whatever it names exists then.
    inside.sort((one, other) => Number(other.name === "_versions") - Number(one.name === "_versions"));
    for (const entry of inside) {
      const path = below === "" ? entry.name : `${below}/${entry.name}`;
      if (isVolatile(path)) continue;
      const visited = look(root, folder, path, entry);
      if (visited.kind === "skipped") skip(path, visited.because);
      else if (visited.kind === "folder") visit(path);
      else if (visited.kind === "file") addFile(path);
    }
  };
  const addFile = (path: string) => {
    try {
      entries[isSqliteFile(folder, path) ? "databases" : "files"].push(path);
    } catch (thrown) {
      if (!isGone(thrown)) throw thrown;
    }
  };
  visit("");
  return entries;
}

function entriesIn(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (thrown) {
    if (isGone(thrown)) return [];
    throw thrown;
  }
}

function look(root: string, folder: string, path: string, entry: Dirent): Visited {
  const full = join(folder, path);
  if (path === lostAndFound) return { kind: "skipped", because: "it belongs to the file system" };
  if (!isArchivable(path)) return { kind: "skipped", because: "its name can't be in an archive" };
  if (Buffer.byteLength(path) > pathBytesMax) return { kind: "skipped", because: "its path is too long" };
  if (entry.isSymbolicLink()) {
    if (path.includes("/")) return { kind: "skipped", because: "it is a symbolic link" };
    return lookBehind(root, full);
  }
  const kind = kindOf(entry);
  if (kind === undefined) return { kind: "skipped", because: "it is not a file or folder" };
  if (!isReadable(full, kind === "folder")) return { kind: "skipped", because: unreadable };
  return { kind };
}

/** Follows a link of the top level. One to the data folder, or to a folder around or in it, would lead into a loop or take files twice. */
function lookBehind(root: string, link: string): Visited {
  let target: string;
  try {
    target = realpathSync(link);
  } catch (thrown) {
    const { code } = thrown as { code?: string };
    return {
      kind: "skipped",
      because: code === "EACCES" ? unreadable : "it is a broken symbolic link",
    };
  }
  const kind = kindOf(statSync(target));
  if (kind === undefined) return { kind: "skipped", because: "it is a symbolic link to no file or folder" };
  const overlaps = target === root || isBelow(target, root) || isBelow(root, target);
  if (overlaps) return { kind: "skipped", because: "it is a symbolic link to the data folder itself" };
  return isReadable(target, kind === "folder") ? { kind } : { kind: "skipped", because: unreadable };
}

const isBelow = (path: string, folder: string): boolean =>
  path.startsWith(folder.endsWith(sep) ? folder : folder + sep);

function kindOf(entry: { isDirectory(): boolean; isFile(): boolean }): "folder" | "file" | undefined {
  if (entry.isDirectory()) return "folder";
  return entry.isFile() ? "file" : undefined;
}

/** Another process removed the entry meanwhile. */
export const isGone = (thrown: unknown): boolean =>
  ["ENOENT", "ENOTDIR"].includes(String((thrown as { code?: unknown }).code));

const unreadable = "this user may not read it";

const cannotRead = (path: string): AppError =>
  new AppError("unavailable", "backup_unreadable", `This user may not read ${path} in the data folder.`, {
    details: {
      hint: "Make the backup as the owner of the data folder, or give the file to that user with chown.",
    },
  });
