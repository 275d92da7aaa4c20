import type { Dirent } from "node:fs";
import { lstat, readdir, readFile, realpath, stat } from "node:fs/promises";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { documentTypes, kindOfName } from "../contracts/daemon/rag/document-types.ts";
import { AppError } from "../kit/app-error.ts";

/** A file that can become a document. */
export interface DocumentEntry {
  /** Path relative to the workspace, or else to the named folder, with `/`. */
  id: string;
  path: string;
  /** Undefined if the reader must detect it. */
  contentType: string | undefined;
}

/** Result of a search for files. */
export interface FoundDocuments {
  /** Each file once, in order of the ids. */
  entries: DocumentEntry[];
  /** Ids of empty files, in order. They can't be documents, but an earlier version may be one. */
  empty: string[];
  /** Files that should be documents but can't be read as such. */
  faults: { file: string; message: string }[];
  /** Number of files whose extension is not that of a document. */
  otherKinds: number;
  /** Start of the ids of each searched folder. */
  prefixes: string[];
}

export interface DocumentSearch {
  workspace: string;
  /** Folder that relative paths refer to. */
  folder: string;
  /** Paths of files and folders. */
  paths: readonly string[];
  /** Patterns for paths within a named folder; if empty, all documents match. */
  include: readonly string[];
  exclude: readonly string[];
  /** Takes files of folders whatever their names end with. */
  anyEnding?: boolean;
}

const bytesMax = 64 * 1024 * 1024;
const idCharsMax = 255;

/**
 * Finds the files for the given paths: a file itself, or all files of a folder with a document's extension. Skips hidden files and folders,
 * installed packages and links to folders. A link to a file counts if its target is in the folder too.
 */
export async function findDocuments(search: DocumentSearch): Promise<FoundDocuments> {
  const finding = new Finding();
  const includes = search.include.map((pattern) => new Bun.Glob(pattern));
  const excludes = search.exclude.map((pattern) => new Bun.Glob(pattern));
  for (const named of search.paths) {
    const path = resolve(search.folder, named);
    const status = await stat(path).catch(() => undefined);
    if (status === undefined) throw new AppError("invalid", "usage", `${named} does not exist.`);
    const prefix = prefixOf(search.workspace, path, status.isDirectory());
    if (!status.isDirectory()) {
      await finding.add(`${prefix}${basename(path)}`, path);
      continue;
    }
    finding.prefixes.push(prefix);
    for await (const file of filesBelow(path, "")) {
      const isWanted = includes.length === 0 || includes.some((glob) => glob.match(file));
      if (!isWanted || excludes.some((glob) => glob.match(file))) continue;
      await finding.addBelow(path, file, prefix, search.anyEnding);
    }
  }
  return finding.sorted();
}

/** Finds the files of the workspace that a pipeline's sources name. Throws AppError `usage` for a pattern that leads out of it. */
export async function findSources(workspace: string, patterns: readonly string[]): Promise<FoundDocuments> {
  const finding = new Finding();
  for (const pattern of patterns) {
    const normal = pattern.replace(/^\.\//, "");
    if (normal.startsWith("/") || normal.split(/[/\\]/).includes("..")) {
      throw new AppError("invalid", "usage", `The source ${pattern} leads out of the workspace.`);
    }
    const start = fixedStart(normal);
    const glob = new Bun.Glob(normal);
    const status = await lstat(join(workspace, start)).catch(() => undefined);
    if (status?.isFile()) await finding.addBelow(workspace, start, "");
    if (!status?.isDirectory()) continue;
    for await (const file of filesBelow(join(workspace, start), start)) {
      if (glob.match(file)) await finding.addBelow(workspace, file, "");
    }
  }
  return finding.sorted();
}

/** Returns the bytes of a file. Throws AppError `file_unreadable` or `document_too_large`. */
export async function readDocumentFile({ path, id }: DocumentEntry): Promise<Uint8Array<ArrayBuffer>> {
  try {
    const { size } = await stat(path);
    if (size <= bytesMax) return new Uint8Array(await readFile(path));
  } catch (cause) {
    throw new AppError("unprocessable", "file_unreadable", `${id} can't be read${reasonOf(cause)}.`, {
      cause,
    });
  }
  const message = `${id} is larger than ${bytesMax / 1024 / 1024} MiB; split it into smaller files.`;
  throw new AppError("too_large", "document_too_large", message);
}

/** Returns true if the file that a document with this id came from still exists. */
export async function hasDocumentFile(
  { workspace, folder, paths }: Pick<DocumentSearch, "workspace" | "folder" | "paths">,
  id: string,
): Promise<boolean> {
  const bases = [workspace, ...paths.map((path) => dirname(resolve(folder, path)))];
  const there = await Promise.all(bases.map((base) => stat(join(base, id)).catch(() => undefined)));
  return there.some((status) => status?.isFile() === true);
}

/** Collects files and their faults. */
class Finding {
  readonly prefixes: string[] = [];
  readonly #entries = new Map<string, DocumentEntry>();
  readonly #faults: { file: string; message: string }[] = [];
  readonly #empty = new Set<string>();
  readonly #otherKinds = new Set<string>();

  /** Adds a file of a folder; skips other extensions unless `anyEnding`. */
  async addBelow(folder: string, file: string, prefix: string, anyEnding = false): Promise<void> {
    const path = join(folder, file);
    const id = `${prefix}${file}`;
    if (!anyEnding && kindOfName(file) === undefined) {
      this.#otherKinds.add(path);
      return;
    }
    const real = await realpath(path).catch(() => undefined);
    const isInside = real?.startsWith(`${await realpath(folder)}${sep}`) === true;
    if (isInside) await this.add(id, path);
    else this.#faults.push({ file: id, message: "is a link that leads out of the folder, or nowhere" });
  }

  async add(id: string, path: string): Promise<void> {
    const status = await stat(path);
    const kind = kindOfName(path);
    if (!status.isFile()) {
      if (!status.isDirectory()) this.#faults.push({ file: id, message: "is not a regular file" });
    } else if ([...id].length > idCharsMax || /\p{Cc}/u.test(id)) {
      const message = `has a path of more than ${idCharsMax} characters, or with control characters`;
      this.#faults.push({ file: id, message });
    } else if (status.size === 0) {
      this.#empty.add(id);
    } else {
      this.#entries.set(id, { id, path, contentType: kind && documentTypes[kind].contentTypes[0] });
    }
  }

  sorted(): FoundDocuments {
    const entries = [...this.#entries.values()].sort((one, other) => (one.id < other.id ? -1 : 1));
    return {
      entries,
      empty: [...this.#empty].sort(),
      faults: this.#faults,
      otherKinds: this.#otherKinds.size,
      prefixes: this.prefixes,
    };
  }
}

/** Returns the start of the ids of files in a path. */
function prefixOf(workspace: string, path: string, isFolder: boolean): string {
  const inside = relative(workspace, path);
  const isOutside = inside === ".." || inside.startsWith(`..${sep}`);
  const folder = isFolder ? (isOutside ? basename(path) : inside) : isOutside ? "" : dirname(inside);
  return folder === "" || folder === "." ? "" : `${folder.replaceAll(sep, "/")}/`;
}

/** Part of a pattern before its first wildcard, in whole names. */
function fixedStart(pattern: string): string {
  const names = pattern.split("/");
  const wild = names.findIndex((name) => /[*?[\]{}!\\]/.test(name));
  return (wild === -1 ? names : names.slice(0, wild)).join("/");
}

async function* filesBelow(folder: string, at: string): AsyncGenerator<string> {
  let names: Dirent[];
  try {
    names = await readdir(folder, { withFileTypes: true });
  } catch (cause) {
    throw new AppError("invalid", "usage", `${folder} can't be read${reasonOf(cause)}.`, { cause });
  }
  for (const entry of names) {
    if (entry.name.startsWith(".") || entry.name === "node_modules") continue;
    const path = at === "" ? entry.name : `${at}/${entry.name}`;
    if (entry.isDirectory()) yield* filesBelow(join(folder, entry.name), path);
    else if (entry.isFile()) yield path;
    else if (entry.isSymbolicLink() && !(await leadsToFolder(join(folder, entry.name)))) yield path;
  }
}

async function leadsToFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() === true;
}

function reasonOf(thrown: unknown): string {
  const code = thrown instanceof Error && "code" in thrown ? thrown.code : undefined;
  return code === "EACCES" ? ": permission is denied" : typeof code === "string" ? ` (${code})` : "";
}
