import {
  closeSync,
  constants,
  type Dirent,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  type Stats,
  statSync,
} from "node:fs";
import { join } from "node:path";
import { AppError } from "../../../kit/app-error.ts";

/** Maximum size of a manifest in bytes. A larger file is not read into memory. */
const bytesMax = 1_048_576;

/** Naming rules that identify one kind of manifest in a folder. */
export interface ManifestNaming {
  /** Start of error codes, for example `agents`. */
  what: string;
  /** Ending of the file names. */
  ending: RegExp;
  /** Ending of the names of files that we create. */
  newEnding: string;
}

/**
 * Returns the paths of the manifests in a folder and its subfolders, in a fixed order. Leaves out hidden names, which begin with a dot:
 * drafts, editors' lock files, and the folders behind a mounted configuration. A folder reached again through a link counts once.
 */
export function manifestFiles(folder: string, { what, ending }: ManifestNaming): string[] {
  const files: string[] = [];
  const entered = new Set<string>();
  const walk = (path: string, name: string, identity: string) => {
    if (entered.has(identity)) return;
    entered.add(identity);
    for (const entry of entriesIn(path, what).sort(byKindAndName)) {
      if (entry.name.startsWith(".")) continue;
      const inner = name === "" ? entry.name : `${name}/${entry.name}`;
      if (ending.test(entry.name)) files.push(inner);
      else if (!entry.isFile()) {
        const innerPath = join(path, entry.name);
        const innerIdentity = identityOf(statusOf(innerPath));
        if (innerIdentity !== undefined) walk(innerPath, inner, innerIdentity);
      }
    }
  };
  const root = rootIdentity(folder, what);
  if (root !== undefined) walk(folder, "", root);
  return files.sort().map((name) => join(folder, name));
}

/** Sorts links last, so a folder has its own path and not that of a link to it. */
function byKindAndName(one: Dirent, other: Dirent): number {
  const links = Number(one.isSymbolicLink()) - Number(other.isSymbolicLink());
  return links !== 0 ? links : one.name < other.name ? -1 : 1;
}

/** Identifies a folder by device and inode; undefined if it is not a folder. */
function identityOf(status: Stats | undefined): string | undefined {
  return status?.isDirectory() ? `${status.dev} ${status.ino}` : undefined;
}

/** Like `identityOf`, but throws if the folder can't be read, which is not the same as missing. */
function rootIdentity(folder: string, what: string): string | undefined {
  try {
    return identityOf(statSync(folder, { throwIfNoEntry: false }));
  } catch (thrown) {
    if (codeOf(thrown) === "ENOTDIR") return undefined;
    throw folderUnreadable(folder, what, thrown);
  }
}

function entriesIn(folder: string, what: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT") return [];
    throw folderUnreadable(folder, what, thrown);
  }
}

function folderUnreadable(folder: string, what: string, cause: unknown): AppError {
  const message = `The folder ${folder} can't be read (${codeOf(cause)}).`;
  return new AppError("unavailable", `${what}_unreadable`, message, { cause });
}

/** Path and state of a file, without its content. */
export interface SeenFile {
  path: string;
  /** Changes whenever the file may have changed. */
  stamp: string;
  /** Time of the last change by the file system's clock, in ms since 1970. */
  changedAtMs: number;
}

/** Returns the current state of a file; undefined if it doesn't exist. */
export function seeFile(path: string): SeenFile | undefined {
  const status = statusOf(path);
  if (status !== undefined) {
    const { mtimeMs, ctimeMs, size, ino } = status;
    return { path, stamp: `${mtimeMs} ${ctimeMs} ${size} ${ino}`, changedAtMs: Math.max(mtimeMs, ctimeMs) };
  }
  // A link without a target counts as an unreadable file.
  const link = lstatSync(path, { throwIfNoEntry: false });
  return link === undefined ? undefined : { path, stamp: "no target", changedAtMs: 0 };
}

function statusOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    // The link is circular, or leads through a folder without access.
    return undefined;
  }
}

/** Reads a manifest. Throws AppError `file_unreadable`, whose message calls the file `file`. Never waits for a pipe. */
export function readManifestFile(path: string, file: string): string {
  let bytes: Uint8Array;
  try {
    bytes = readRegular(path);
  } catch (thrown) {
    throw unreadable(`${file} can't be read (${codeOf(thrown)}).`, thrown);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (thrown) {
    throw unreadable(`${file} is not valid UTF-8.`, thrown);
  }
}

function readRegular(path: string): Uint8Array {
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const status = fstatSync(descriptor);
    if (status.isDirectory()) throw Object.assign(new Error("a folder"), { code: "EISDIR" });
    if (!status.isFile()) throw Object.assign(new Error("no file"), { code: "it is not a regular file" });
    if (status.size > bytesMax)
      throw Object.assign(new Error("too long"), { code: "it is longer than 1 MiB" });
    return readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function unreadable(message: string, cause: unknown): AppError {
  return new AppError("invalid", "file_unreadable", message, { cause });
}

function codeOf(thrown: unknown): string {
  return thrown instanceof Error && "code" in thrown ? String(thrown.code) : "unknown reason";
}

/** Name taken from the file name, for a file whose content has no name. */
export function nameOfFile(file: string, { ending }: Pick<ManifestNaming, "ending">): string {
  return file.replace(/^.*[\\/]/, "").replace(ending, "");
}
