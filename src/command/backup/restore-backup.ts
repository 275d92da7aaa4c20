import { Database } from "bun:sqlite";
import { existsSync } from "node:fs";
import { mkdir, readdir, rename, rm, rmdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { services } from "../../compose/services.ts";
import type { Config } from "../../compose/settings/config.ts";
import { AppError } from "../../kit/app-error.ts";
import { systemClock } from "../../kit/clock.ts";
import { readArchive } from "../../storage/backup/archive.ts";
import {
  archivesFolder,
  isOwnDatabase,
  isReadable,
  isSqliteFile,
  lostAndFound,
  replacedPrefix,
  restorePrefix,
  stagingPrefix,
} from "../../storage/backup/data-entries.ts";
import { dataFolderFault, openDataFolder, restoreMark } from "../../storage/files/data-folder.ts";
import { giveToOwner } from "../../storage/files/give-to-owner.ts";
import { type AppliedMigration, pendingMigrations } from "../../storage/migration.ts";
import { requireSound } from "../../storage/sqlite/copy-held-database.ts";
import type { BackupPlace } from "./backup-place.ts";
import type { AboutBackup } from "./make-backup.ts";

export interface RestoredBackup extends AboutBackup {
  data_folder: string;
  files: number;
  databases: number;
  /** Folder with the data that was there before, if any. */
  replaced: string | null;
  /** Warnings about entries that the restore did not replace. */
  warnings: string[];
}

/**
 * Restores a backup into the data folder. Everything is unpacked and checked beside the present data first, so a damaged, cut or newer
 * backup changes nothing.
 */
export async function restoreBackup(
  { dataFolder }: Pick<Config, "dataFolder">,
  place: BackupPlace,
  { force, signal, onProgress }: { force: boolean; signal: AbortSignal; onProgress: (files: number) => void },
): Promise<RestoredBackup> {
  const input = await place.read();
  const folder = openDataFolder(dataFolder, { forRestore: true });
  const unpacked = join(dataFolder, `${restorePrefix}${crypto.randomUUID()}`);
  try {
    await sweepRestores(dataFolder);
    const { present, kept } = await entriesOf(dataFolder);
    if (present.length > 0 && !force) throw wouldReplace(dataFolder);
    await mkdir(unpacked, { mode: 0o700 });
    let files = 0;
    const archive = await readArchive(input, unpacked, { signal, onFile: () => onProgress(++files) });
    const about = aboutOf(archive.about);
    const databases = archive.files.filter((path) => isSqliteFile(unpacked, path));
    // Others are as they were backed up, sound or not: their sums were compared.
    for (const path of databases.filter(isOwnDatabase)) await checkDatabase(unpacked, path);
    signal.throwIfAborted();
    await giveTree(dataFolder, unpacked);
    const arriving = new Set(await readdir(unpacked));
    // An entry that has to make room is moved, whoever may read it.
    const inTheWay = kept.filter((name) => arriving.has(name));
    if (inTheWay.length > 0 && !force) throw wouldReplace(dataFolder);
    const replaced = await exchange(dataFolder, unpacked, [...present, ...inTheWay]);
    const warnings = kept
      .filter((name) => !arriving.has(name))
      .map((name) => `${JSON.stringify(name)} in the data folder was left as it is: ${whyKept(name)}.`);
    return { ...about, data_folder: dataFolder, files, databases: databases.length, replaced, warnings };
  } catch (thrown) {
    throw dataFolderFault(dataFolder, thrown);
  } finally {
    input.destroy();
    await rm(unpacked, { recursive: true, force: true });
    folder.close();
  }
}

/** Gives a tree that root unpacked to the owner of the data folder. */
async function giveTree(folder: string, tree: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  giveToOwner(folder, tree);
  for (const name of await readdir(tree, { recursive: true })) giveToOwner(folder, join(tree, name));
}

/**
 * Moves the present entries away and the unpacked ones in. Entries are moved, not the folder, which may be a mount point. A mark tells a
 * server that starts after a crash in between that the data is incomplete. If an entry can't be moved, all are moved back.
 */
async function exchange(
  folder: string,
  unpacked: string,
  present: readonly string[],
): Promise<string | null> {
  const mark = join(folder, restoreMark);
  const wasMarked = existsSync(mark);
  await writeFile(mark, "", { mode: 0o600 });
  giveToOwner(folder, mark);
  const moved: Move[] = [];
  let replaced: string | null = null;
  try {
    if (present.length > 0) {
      const away = join(folder, `${replacedPrefix}${systemClock.now().toISOString().replaceAll(":", "-")}`);
      await mkdir(away, { mode: 0o700 });
      replaced = away;
      giveToOwner(folder, away);
      for (const name of present) await move({ name, from: folder, to: away }, moved);
    }
    for (const name of await readdir(unpacked)) await move({ name, from: unpacked, to: folder }, moved);
  } catch (thrown) {
    await moveBack(folder, moved, thrown);
    if (replaced !== null) await rmdir(replaced);
    // The data of an earlier restore that was interrupted is incomplete still.
    if (!wasMarked) await rm(mark);
    throw thrown;
  }
  await rm(mark);
  return replaced;
}

/** An entry that a restore moves from one folder to another. */
interface Move {
  name: string;
  from: string;
  to: string;
}

async function move(one: Move, moved: Move[]): Promise<void> {
  const { name, from, to } = one;
  try {
    await rename(join(from, name), join(to, name));
  } catch (cause) {
    throw notMoved(name, cause);
  }
  moved.push(one);
}

/** Undoes the moves, the last one first. The mark stays if one can't be undone. */
async function moveBack(folder: string, moved: readonly Move[], reason: unknown): Promise<void> {
  for (const { name, from, to } of moved.toReversed()) {
    try {
      await rename(join(to, name), join(from, name));
    } catch (cause) {
      throw new AppError(
        "unavailable",
        "restore_unfinished",
        `${JSON.stringify(name)} could not be moved back from ${to}: ${reasonOf(cause)}. The data in ${folder} is incomplete.`,
        {
          cause: reason,
          details: { hint: "Mend that, and repeat the restore with --force. Nothing was deleted." },
        },
      );
    }
  }
}

const moveReasons: Record<string, string> = {
  EACCES: "this user may not move it",
  EPERM: "this user may not move it",
  EBUSY: "it is a mount point, or in use",
  EXDEV: "it is on another disk",
  EROFS: "the file system is read-only",
  ENOSPC: "the disk is full",
  ENOTEMPTY: "there is a folder of this name already",
  EEXIST: "there is a folder of this name already",
};

function reasonOf(cause: unknown): string {
  const { code = "", message = String(cause) } = cause as { code?: string; message?: string };
  return moveReasons[code] ?? message;
}

const notMoved = (name: string, cause: unknown): AppError =>
  new AppError(
    "unavailable",
    "restore_blocked",
    `${JSON.stringify(name)} can't be moved in the data folder: ${reasonOf(cause)}.`,
    {
      cause,
      details: { hint: "Nothing was changed. Mend that, and repeat the restore with --force." },
    },
  );

interface PresentEntries {
  /** Names that hold data. */
  present: string[];
  /** Names that a restore leaves where they are, because they are not this user's. */
  kept: string[];
}

/** Returns the entries without the folder's lock, what earlier restores left, and a backup that is being made. */
async function entriesOf(folder: string): Promise<PresentEntries> {
  const entries: PresentEntries = { present: [], kept: [] };
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const { name } = entry;
    if (/^(lock|lock-journal|pid|native|.*\.sock)$/.test(name)) continue;
    if (name === archivesFolder || name === restoreMark) continue;
    if ([replacedPrefix, restorePrefix, stagingPrefix].some((prefix) => name.startsWith(prefix))) continue;
    const isOwn = name !== lostAndFound && isReadable(join(folder, name), entry.isDirectory());
    entries[isOwn ? "present" : "kept"].push(name);
  }
  return entries;
}

const whyKept = (name: string): string =>
  name === lostAndFound ? "it belongs to the file system" : "this user may not read it";

async function sweepRestores(folder: string): Promise<void> {
  for (const name of await readdir(folder))
    if (name.startsWith(restorePrefix)) await rm(join(folder, name), { recursive: true, force: true });
}

function aboutOf(about: unknown): AboutBackup {
  const { format, argosy } = about as Partial<Record<keyof AboutBackup, unknown>>;
  if (format === 1) return about as AboutBackup;
  throw new AppError(
    "unavailable",
    "backup_newer",
    `This executable can't read backups of format ${JSON.stringify(format)}; Argosy ${String(argosy)} made it.`,
    { details: { hint: "Restore it with that version or a later one." } },
  );
}

/** Checks a database's pages, and that this executable knows its schema. */
async function checkDatabase(folder: string, path: string): Promise<void> {
  // Opened for writing, because only then SQLite removes its own files again.
  using database = new Database(join(folder, path));
  requireSound(path, database);
  const service = services.find(({ name }) => path === `${name}.db`);
  if (service === undefined) return;
  const applied = database
    .query<AppliedMigration, []>("SELECT tag, sha256 FROM _migrations ORDER BY rowid")
    .all();
  pendingMigrations(service.name, (await service.migrations()).sqlite, applied);
}

const wouldReplace = (folder: string): AppError =>
  new AppError("conflict", "data_folder_not_empty", `The data folder ${folder} has data already.`, {
    details: {
      hint: "Name an empty folder with --data, or repeat with --force: the present data is moved into `before-restore-…` there, not deleted.",
    },
  });
