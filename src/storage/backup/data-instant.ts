import { Database } from "bun:sqlite";
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
import { isSqliteFile, isVolatile, stagingPrefix } from "./data-entries.ts";

/** A database whose state at the instant stays readable until the release. */
export interface HeldDatabase {
  /** Path below the data folder, with `/`. */
  path: string;
  /** Length of the part of the write-ahead log that belongs to the instant, in bytes; 0 if the file alone has everything. */
  walBytes: number;
}

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

/** Connections to one database: one to keep its state, one to ask for the length of its log, which no transaction may do. */
interface Connections {
  path: string;
  keeper: Database;
  asker: Database;
}

/**
 * Takes the state of all databases and files of a data folder at one instant. Only the process that owns the folder may call this: all its
 * commits happen on this thread, and the instant is taken without yielding, so no commit of any database falls between two others. It is
 * therefore a state that `kill -9` could leave, and a restored copy recovers as after a crash.
 *
 * A database: a read transaction keeps SQLite from overwriting its pages and from reusing the log's frames up to here
 * (https://sqlite.org/wal.html, "Checkpointing"). Other files: hard links. Argosy replaces files or appends to them, and never rewrites
 * their bytes in place.
 *
 * `ownerPid`: the process that uses the staging folder, and removes it.
 */
export async function holdInstant(folder: string, ownerPid: number, clock: Clock): Promise<HeldInstant> {
  await sweepStaging(folder);
  const staging = `${stagingPrefix}${ownerPid}-${crypto.randomUUID()}`;
  const connections = new Map<string, Connections>();
  const connect = (path: string): Connections => {
    const file = join(folder, path);
    const keeper = new Database(file, { readonly: true });
    const pair = { path, keeper, asker: new Database(file, { readonly: true }) };
    connections.set(path, pair);
    return pair;
  };
  const release = () => {
    for (const { keeper, asker } of connections.values()) {
      keeper.close();
      asker.close();
    }
    connections.clear();
  };
  try {
    mkdirSync(join(folder, staging), { mode: 0o700 });
    // Opening is the slow part, so it is done before the instant, and others get their turns meanwhile.
    for (const path of readEntries(folder).databases) {
      connect(path);
      await othersTurn();
    }
    const { databases, files } = readEntries(folder);
    return {
      taken_at: clock.now().toISOString(),
      databases: databases.map((path) => holdDatabase(connections.get(path) ?? connect(path))),
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

function holdDatabase({ path, keeper, asker }: Connections): HeldDatabase {
  keeper.run("BEGIN");
  // A transaction takes its snapshot with its first read.
  keeper.query("SELECT count(*) FROM sqlite_schema").get();
  const { log, checkpointed } = asker
    .query<{ log: number; checkpointed: number }, []>("PRAGMA wal_checkpoint(NOOP)")
    .get() ?? { log: -1, checkpointed: -1 };
  // If all frames are in the file, SQLite reads the file alone, and a writer may begin the log anew.
  if (log <= checkpointed) return { path, walBytes: 0 };
  const { page_size: pageBytes } = keeper.query<{ page_size: number }, []>("PRAGMA page_size").get() ?? {
    page_size: 0,
  };
  return { path, walBytes: walHeaderBytes + log * (frameHeaderBytes + pageBytes) };
}

// https://sqlite.org/fileformat2.html#the_write_ahead_log
const walHeaderBytes = 32;
const frameHeaderBytes = 24;

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
