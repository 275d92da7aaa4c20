import { SQLiteError } from "bun:sqlite";
import {
  chmodSync,
  constants,
  copyFileSync,
  linkSync,
  mkdirSync,
  realpathSync,
  rmSync,
  statSync,
} from "node:fs";
import { readdir, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { AppError } from "../../kit/app-error.ts";
import type { Clock } from "../../kit/clock.ts";
import { othersTurn } from "../../kit/concurrency/others-turn.ts";
import { dataFolderFault } from "../files/data-folder.ts";
import { giveToOwner } from "../files/give-to-owner.ts";
import { damagedDatabase } from "../sqlite/copy-held-database.ts";
import { type DatabaseHold, type HeldDatabase, openDatabaseHold } from "../sqlite/database-hold.ts";
import { databaseOf, isOwnDatabase, stagingPrefix } from "./data-entries.ts";
import { isGone, readEntries } from "./read-entries.ts";

/** A file of the instant other than a database. */
export interface HeldFile {
  /** Path below the data folder, with `/`. */
  path: string;
  /** Path below the data folder of the file's bytes at the instant. */
  staged: string;
  /** Length at the instant; the file may have grown since. */
  sizeBytes: number;
  mode: number;
}

/** The content of a data folder at one instant. */
export interface DataInstant {
  /** ISO 8601, UTC. */
  taken_at: string;
  databases: HeldDatabase[];
  files: HeldFile[];
  /** Name of the folder below the data folder that has the files of the instant. */
  staging: string;
  /** Further such folders, below the data folder, in folders that are on another disk. */
  staging_elsewhere: string[];
  /** What the instant lacks, and what it has only as a plain file, in sentences. */
  warnings: string[];
}

export interface HeldInstant extends DataInstant {
  /** Ends the read transactions, so that the write-ahead logs can shrink again. The staging folders stay. */
  release(): void;
}

/**
 * Takes the state of all databases and files of a data folder at one instant. Only the process that owns the folder may call this: all its
 * commits happen on this thread, and the instant is taken without yielding, so no commit of any database falls between two others. It is
 * therefore a state that `kill -9` could leave, and a restored copy recovers as after a crash.
 *
 * Other files than databases are taken as hard links: Argosy replaces files or appends to them, and never rewrites their bytes in place.
 * A file that looks like a database but can't be held is taken like them, unless it is one of Argosy's own: that fails.
 *
 * `ownerPid`: the process that uses the staging folders, and removes them.
 */
export async function holdInstant(folder: string, ownerPid: number, clock: Clock): Promise<HeldInstant> {
  await sweepStaging(folder);
  const stage = createStaging(folder, `${stagingPrefix}${ownerPid}-${crypto.randomUUID()}`);
  const holds = createHolds(folder);
  try {
    stage.begin();
    // Opening is the slow part, so it is done before the instant, and others get their turns meanwhile.
    for (const path of readEntries(folder).databases) {
      holds.open(path);
      await othersTurn();
    }
    const entries = readEntries(folder);
    const databases = entries.databases.flatMap((path) => holds.take(path) ?? []);
    const databasePaths = new Set(databases.map(({ path }) => path));
    const plain = entries.databases.filter((path) => !databasePaths.has(path));
    const warnings = [...entries.warnings, ...plain.map((path) => storedPlain(path))];
    // A backup takes SQLite's own files together with their database.
    const files = [...plain, ...entries.files].filter((path) => !databasePaths.has(databaseOf(path) ?? ""));
    return {
      taken_at: clock.now().toISOString(),
      databases,
      files: files.flatMap((path) => stage.add(path) ?? []),
      staging: stage.name,
      staging_elsewhere: stage.elsewhere(),
      warnings,
      release: holds.release,
    };
  } catch (thrown) {
    holds.release();
    stage.remove();
    throw dataFolderFault(folder, thrown);
  }
}

/** Says that a file is in the backup although SQLite can't read it. */
export const storedPlain = (path: string): string =>
  `${JSON.stringify(path)} begins like a SQLite database, but SQLite can't read it; this backup has it as a plain file.`;

function createHolds(folder: string) {
  const holds = new Map<string, DatabaseHold>();
  const failed = new Set<string>();
  const trying = <T>(path: string, work: () => T): T | undefined => {
    if (failed.has(path)) return undefined;
    try {
      return work();
    } catch (thrown) {
      // Another process removed it meanwhile, or it is not a database.
      if (!(thrown instanceof SQLiteError)) throw thrown;
      if (isOwnDatabase(path)) throw damagedDatabase(path, thrown);
      holds.get(path)?.release();
      holds.delete(path);
      failed.add(path);
      return undefined;
    }
  };
  const open = (path: string): DatabaseHold | undefined =>
    trying(path, () => {
      const hold = openDatabaseHold(join(folder, path));
      holds.set(path, hold);
      return hold;
    });
  return {
    open,
    /** Returns undefined for a file that is not a database of Argosy's and that SQLite can't read. */
    take(path: string): HeldDatabase | undefined {
      const hold = holds.get(path) ?? open(path);
      const walBytes = trying(path, () => hold?.take());
      return walBytes === undefined ? undefined : { path, walBytes };
    },
    release() {
      for (const hold of holds.values()) hold.release();
      holds.clear();
    },
  };
}

/** Removes the staging folders of processes that were killed. */
export async function sweepStaging(folder: string): Promise<void> {
  const { dev } = await stat(folder);
  await sweepIn(folder);
  for (const name of await readdir(folder)) {
    const there = await stat(join(folder, name)).catch(() => undefined);
    if (there?.isDirectory() && there.dev !== dev) await sweepIn(join(folder, name));
  }
}

async function sweepIn(folder: string): Promise<void> {
  // One that this user can't read or change has no staging folder of its own.
  const names = await readdir(folder).catch(() => []);
  for (const name of names) {
    if (!name.startsWith(stagingPrefix)) continue;
    const ownerPid = Number.parseInt(name.slice(stagingPrefix.length), 10);
    if (!isAlive(ownerPid))
      await rm(join(folder, name), { recursive: true, force: true }).catch(leaveToOwner);
  }
}

/** A folder that another user's backup left costs room, but is no reason to refuse a start or a backup. */
function leaveToOwner(thrown: unknown): void {
  if (!["EACCES", "EPERM"].includes(String((thrown as { code?: unknown }).code))) throw thrown;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    // EPERM: a process of another user.
    return (thrown as { code?: string }).code === "EPERM";
  }
}

/** Links the files of an instant into folders of their own: one in the data folder, and one in each of its folders on another disk. */
function createStaging(folder: string, name: string) {
  /** By the name of the folder on another disk; null if no staging folder can be made there. */
  const elsewhere = new Map<string, string | null>();

  function elsewhereFor(top: string): string | null {
    const known = elsewhere.get(top);
    if (known !== undefined) return known;
    const made = `${top}/${name}`;
    try {
      mkdirSync(join(folder, made), { mode: 0o700 });
      giveToOwner(folder, join(folder, made));
      elsewhere.set(top, made);
      return made;
    } catch {
      elsewhere.set(top, null);
      return null;
    }
  }

  /** Returns where the file is staged. */
  function link(path: string): string {
    const [top = "", ...rest] = path.split("/");
    const other = elsewhere.get(top);
    const staged = typeof other === "string" ? `${other}/${rest.join("/")}` : `${name}/${path}`;
    const target = join(folder, staged);
    mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
    // A hard link to a link would have no content.
    const source = rest.length === 0 ? realpathSync(join(folder, path)) : join(folder, path);
    try {
      linkSync(source, target);
    } catch (thrown) {
      const code = String((thrown as { code?: unknown }).code);
      if (!hasNoLinks.test(code)) throw thrown;
      if (code === "EXDEV" && other === undefined && rest.length > 0 && elsewhereFor(top) !== null)
        return link(path);
      copyFileSync(source, target, constants.COPYFILE_FICLONE);
      chmodSync(target, 0o600);
    }
    return staged;
  }

  return {
    name,
    begin() {
      mkdirSync(join(folder, name), { mode: 0o700 });
      giveToOwner(folder, join(folder, name));
    },
    elsewhere: () => [...elsewhere.values()].filter((made) => made !== null),
    /** Returns undefined for a file that another process removed meanwhile. */
    add(path: string): HeldFile | undefined {
      try {
        const { size, mode } = statSync(join(folder, path));
        return { path, staged: link(path), sizeBytes: size, mode: mode & 0o777 };
      } catch (thrown) {
        if (isGone(thrown)) return undefined;
        throw thrown;
      }
    },
    remove() {
      for (const made of [name, ...elsewhere.values()])
        if (made !== null) rmSync(join(folder, made), { recursive: true, force: true });
    },
  };
}

/** Errors of file systems without hard links, and of a file with too many. */
const hasNoLinks = /^(EPERM|EACCES|ENOTSUP|EOPNOTSUPP|ENOSYS|EMLINK|EXDEV|UNKNOWN)$/;

/** Error of a second backup at the same time. */
export const backupRunning = (): AppError =>
  new AppError("conflict", "backup_running", "Another backup of this data folder is being made.", {
    details: { hint: "Wait until it is done." },
  });
