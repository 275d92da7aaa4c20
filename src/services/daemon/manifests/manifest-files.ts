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

/** What a manifest may have; a longer file is not read into memory. */
const bytesMax = 1_048_576;

/** Which files of a folder are manifests of one kind. */
export interface ManifestNaming {
  /** What error codes begin with: `agents`. */
  what: string;
  /** How their names end. */
  ending: RegExp;
  /** How the names of files end that we make. */
  newEnding: string;
}

/**
 * Paths of the manifests below a folder, subfolders included, in a fixed order. What is hidden (a name that begins with a dot) is left
 * out: drafts, locks of editors, and the folders behind a mounted configuration. A folder that links lead to again counts once.
 */
export function manifestFiles(folder: string, { what, ending }: ManifestNaming): string[] {
  const found: string[] = [];
  const entered = new Set<string>();
  const walk = (path: string, name: string, identity: string) => {
    if (entered.has(identity)) return;
    entered.add(identity);
    for (const entry of entriesIn(path, what).sort(byKindAndName)) {
      if (entry.name.startsWith(".")) continue;
      const inner = name === "" ? entry.name : `${name}/${entry.name}`;
      if (ending.test(entry.name)) found.push(inner);
      else if (!entry.isFile()) {
        const innerPath = join(path, entry.name);
        const innerIdentity = identityOf(statusOf(innerPath));
        if (innerIdentity !== undefined) walk(innerPath, inner, innerIdentity);
      }
    }
  };
  const root = rootIdentity(folder, what);
  if (root !== undefined) walk(folder, "", root);
  return found.sort().map((name) => join(folder, name));
}

/** Links last: a folder is known by its own path rather than by one that leads to it. */
function byKindAndName(one: Dirent, other: Dirent): number {
  const links = Number(one.isSymbolicLink()) - Number(other.isSymbolicLink());
  return links !== 0 ? links : one.name < other.name ? -1 : 1;
}

/** Which folder it is; undefined when it is none. */
function identityOf(status: Stats | undefined): string | undefined {
  return status?.isDirectory() ? `${status.dev} ${status.ino}` : undefined;
}

/** As `identityOf`; a folder that can't be asked now is not one that is gone. */
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

/** A file as a look from outside shows it. */
export interface SeenFile {
  path: string;
  /** Another one tells that the file may have changed. */
  stamp: string;
  /** When it changed last, by the file system's clock, in ms since 1970. */
  changedAtMs: number;
}

/** How a file looks now; undefined when it is gone. */
export function seeFile(path: string): SeenFile | undefined {
  const status = statusOf(path);
  if (status !== undefined) {
    const { mtimeMs, ctimeMs, size, ino } = status;
    return { path, stamp: `${mtimeMs} ${ctimeMs} ${size} ${ino}`, changedAtMs: Math.max(mtimeMs, ctimeMs) };
  }
  // A link that leads nowhere is a file that can't be read.
  const link = lstatSync(path, { throwIfNoEntry: false });
  return link === undefined ? undefined : { path, stamp: "no target", changedAtMs: 0 };
}

function statusOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    // A link that leads in a circle, or through a folder that is closed to us.
    return undefined;
  }
}

/** The text of a manifest's file; AppError `file_unreadable` that names it as `file`. Never waits for a pipe. */
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
    if (!status.isFile()) throw Object.assign(new Error("no file"), { code: "it is no regular file" });
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

/** What a file is called that says nothing of what is in it. */
export function nameOfFile(file: string, { ending }: Pick<ManifestNaming, "ending">): string {
  return file.replace(/^.*[\\/]/, "").replace(ending, "");
}
