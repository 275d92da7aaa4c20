import { Database } from "bun:sqlite";

import { mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "../../../kit/app-error.ts";
import { systemClock } from "../../../kit/clock.ts";
import { readArchive } from "../../../storage/backup/archive.ts";
import {
  archivesFolder,
  isSqliteFile,
  replacedPrefix,
  restorePrefix,
} from "../../../storage/backup/data-entries.ts";
import { openDataFolder, restoreMark } from "../../../storage/files/data-folder.ts";
import { type AppliedMigration, pendingMigrations } from "../../../storage/migration.ts";
import { requireSound } from "../../../storage/sqlite/copy-held-database.ts";
import { services } from "../../services.ts";
import type { Config } from "../../settings/config.ts";
import type { BackupPlace } from "./backup-place.ts";
import type { AboutBackup } from "./make-backup.ts";

export interface RestoredBackup extends AboutBackup {
  data_folder: string;
  files: number;
  databases: number;
  /** Folder with the data that was there before, if any. */
  replaced: string | null;
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
    const present = await entriesOf(dataFolder);
    if (present.length > 0 && !force) throw wouldReplace(dataFolder);
    await mkdir(unpacked, { mode: 0o700 });
    let files = 0;
    const archive = await readArchive(input, unpacked, { signal, onFile: () => onProgress(++files) });
    const about = aboutOf(archive.about);
    const databases = archive.files.filter((path) => isSqliteFile(unpacked, path));
    for (const path of databases) await checkDatabase(unpacked, path);
    signal.throwIfAborted();
    const replaced = await exchange(dataFolder, unpacked, present);
    return { ...about, data_folder: dataFolder, files, databases: databases.length, replaced };
  } finally {
    input.destroy();
    await rm(unpacked, { recursive: true, force: true });
    folder.close();
  }
}

/**
 * Moves the present entries away and the unpacked ones in. Entries are moved, not the folder, which may be a mount point. A mark tells a
 * server that starts after a crash in between that the data is incomplete.
 */
async function exchange(
  folder: string,
  unpacked: string,
  present: readonly string[],
): Promise<string | null> {
  await writeFile(join(folder, restoreMark), "", { mode: 0o600 });
  let replaced: string | null = null;
  if (present.length > 0) {
    replaced = join(folder, `${replacedPrefix}${systemClock.now().toISOString().replaceAll(":", "-")}`);
    await mkdir(replaced, { mode: 0o700 });
    for (const name of present) await rename(join(folder, name), join(replaced, name));
  }
  for (const name of await readdir(unpacked)) await rename(join(unpacked, name), join(folder, name));
  await rm(join(folder, restoreMark));
  return replaced;
}

/** Entries that hold data: neither the folder's lock nor what earlier restores left. */
async function entriesOf(folder: string): Promise<string[]> {
  const names = await readdir(folder);
  return names.filter(
    (name) =>
      !/^(lock|lock-journal|pid|native|.*\.sock)$/.test(name) &&
      name !== archivesFolder &&
      name !== restoreMark &&
      !name.startsWith(replacedPrefix) &&
      !name.startsWith(restorePrefix),
  );
}

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
