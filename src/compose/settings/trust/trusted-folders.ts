import { mkdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { isRecord } from "../../../kit/json/is-record.ts";
import { replaceFile } from "../../../storage/files/replace-file.ts";
import { userFolder } from "../user-folder.ts";

/** A workspace whose programs this user lets run. */
export interface TrustedFolder {
  /** Its real path. */
  folder: string;
  /** ISO 8601. */
  trusted_at: string;
}

/** The workspaces that this machine's user has made or trusted, in a file of the user's own, outside of any workspace. */
export interface TrustedFolders {
  /** Path of the file. */
  readonly file: string;
  has(folder: string): boolean;
  /** Returns the real path that is trusted now. */
  add(folder: string, now: Date): string;
  /** Returns false if the folder wasn't trusted. */
  remove(folder: string): boolean;
  list(): TrustedFolder[];
}

/** With the identity of the folder: another one put at the same path is not trusted. */
interface Entry extends TrustedFolder {
  identity: string;
}

/** Opens the list of this user, whose variables name the folder of settings. */
export function trustedFolders(variable: (name: string) => string | undefined): TrustedFolders {
  const file = join(userFolder("settings", variable), "trusted-folders.json");
  const read = () => readEntries(file);
  const write = (entries: readonly Entry[]) => {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    replaceFile(file, `${JSON.stringify({ folders: entries }, null, 2)}\n`, 0o600);
  };
  return {
    file,
    has(folder) {
      const real = realPath(folder);
      const identity = identityOf(real);
      return read().some((entry) => entry.folder === real && entry.identity === identity);
    },
    add(folder, now) {
      const real = realpathSync(folder);
      const others = read().filter((entry) => entry.folder !== real);
      write([...others, { folder: real, trusted_at: now.toISOString(), identity: identityOf(real) }]);
      return real;
    },
    remove(folder) {
      const real = realPath(folder);
      const entries = read();
      const others = entries.filter((entry) => entry.folder !== real);
      if (others.length < entries.length) write(others);
      return others.length < entries.length;
    },
    list: () => read().map(({ folder, trusted_at }) => ({ folder, trusted_at })),
  };
}

/** A folder that is gone can still be removed from the list. */
function realPath(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return resolve(folder);
  }
}

/** File number and, where the file system has it, time of birth: neither changes with the folder's contents. */
function identityOf(folder: string): string {
  const folderStatus = statSync(folder, { bigint: true, throwIfNoEntry: false });
  return folderStatus === undefined ? "" : `${folderStatus.ino} ${folderStatus.birthtimeNs}`;
}

/** A missing or damaged file trusts nothing. */
function readEntries(file: string): Entry[] {
  try {
    const read: unknown = JSON.parse(readFileSync(file, "utf8"));
    return isRecord(read) && Array.isArray(read.folders) ? read.folders.filter(isEntry) : [];
  } catch {
    return [];
  }
}

const isEntry = (value: unknown): value is Entry =>
  isRecord(value) &&
  [value.folder, value.trusted_at, value.identity].every((text) => typeof text === "string");
