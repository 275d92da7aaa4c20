import {
  chmodSync,
  constants,
  copyFileSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  rmSync,
} from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { AppError } from "../../kit/app-error.ts";
import type { Clock } from "../../kit/clock.ts";
import { othersTurn } from "../../kit/concurrency/others-turn.ts";
import { type DatabaseHold, type HeldDatabase, openDatabaseHold } from "../sqlite/database-hold.ts";
import { isSqliteFile, isVolatile, stagingPrefix } from "./data-entries.ts";

/** A file of the instant other than a database. */
export interface HeldFile {
  /** Path below the data folder, with `/`. */
  path: string;
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
}

export interface HeldInstant extends DataInstant {
  /** Ends the read transactions, so that the write-ahead logs can shrink again. The staging folder stays. */
  release(): void;
}

/**
 * Takes the state of all databases and files of a data folder at one instant. Only the process that owns the folder may call this: all its
 * commits happen on this thread, and the instant is taken without yielding, so no commit of any database falls between two others. It is
 * therefore a state that `kill -9` could leave, and a restored copy recovers as after a crash.
 *
 * Other files than databases are taken as hard links: Argosy replaces files or appends to them, and never rewrites their bytes in place.
 *
 * `ownerPid`: the process that uses the staging folder, and removes it.
 */
export async function holdInstant(folder: string, ownerPid: number, clock: Clock): Promise<HeldInstant> {
  await sweepStaging(folder);
  const staging = `${stagingPrefix}${ownerPid}-${crypto.randomUUID()}`;
  const holds = new Map<string, DatabaseHold>();
  const open = (path: string): DatabaseHold => {
    const hold = openDatabaseHold(join(folder, path));
    holds.set(path, hold);
    return hold;
  };
  const release = () => {
    for (const hold of holds.values()) hold.release();
    holds.clear();
  };
  try {
    mkdirSync(join(folder, staging), { mode: 0o700 });
    // Opening is the slow part, so it is done before the instant, and others get their turns meanwhile.
    for (const path of readEntries(folder).databases) {
      open(path);
      await othersTurn();
    }
    const { databases, files } = readEntries(folder);
    return {
      taken_at: clock.now().toISOString(),
      databases: databases.map((path) => ({ path, walBytes: (holds.get(path) ?? open(path)).take() })),
      files: files.map((path) => stage(folder, staging, path)),
      staging,
      release,
    };
  } catch (thrown) {
    release();
    rmSync(join(folder, staging), { recursive: true, force: true });
    throw thrown;
  }
}

/** Removes the staging folders of processes that were killed. */
export async function sweepStaging(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.startsWith(stagingPrefix)) continue;
    const ownerPid = Number.parseInt(name.slice(stagingPrefix.length), 10);
    if (!isAlive(ownerPid)) await rm(join(folder, name), { recursive: true, force: true });
  }
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

interface Entries {
  databases: string[];
  files: string[];
}

function readEntries(folder: string): Entries {
  const entries: Entries = { databases: [], files: [] };
  const visit = (below: string) => {
    const inside = readdirSync(join(folder, below), { withFileTypes: true });
    // A LanceDB version names its data files, so it is taken before them: whatever it names exists then.
    inside.sort((one, other) => Number(other.name === "_versions") - Number(one.name === "_versions"));
    for (const entry of inside) {
      const path = below === "" ? entry.name : `${below}/${entry.name}`;
      if (isVolatile(path)) continue;
      if (entry.isDirectory()) visit(path);
      else if (entry.isFile()) entries[isSqliteFile(folder, path) ? "databases" : "files"].push(path);
    }
  };
  visit("");
  return entries;
}

function stage(folder: string, staging: string, path: string): HeldFile {
  const source = join(folder, path);
  const target = join(folder, staging, path);
  mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
  const { size, mode } = lstatSync(source);
  try {
    linkSync(source, target);
  } catch (thrown) {
    if (!hasNoLinks.test(String((thrown as { code?: unknown }).code))) throw thrown;
    copyFileSync(source, target, constants.COPYFILE_FICLONE);
    chmodSync(target, mode & 0o777);
  }
  return { path, sizeBytes: size, mode: mode & 0o777 };
}

/** Errors of file systems without hard links, and of a file with too many. */
const hasNoLinks = /^(EPERM|ENOTSUP|EOPNOTSUPP|ENOSYS|EMLINK|EXDEV|UNKNOWN)$/;

/** Error of a second backup at the same time. */
export const backupRunning = (): AppError =>
  new AppError("conflict", "backup_running", "Another backup of this data folder is being made.", {
    details: { hint: "Wait until it is done." },
  });
