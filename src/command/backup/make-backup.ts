import { constants } from "node:fs";
import { chmod, copyFile, realpath, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { version } from "../../../package.json";
import { holdPath, type ToldInstant } from "../../compose/backup-instant-route.ts";
import { socketAddress } from "../../compose/peers.ts";
import { type Config, requireSound } from "../../compose/settings/config.ts";
import { callService } from "../../contracts/service-call.ts";
import { AppError } from "../../kit/app-error.ts";
import { systemClock } from "../../kit/clock.ts";
import { endOfTurn } from "../../kit/concurrency/others-turn.ts";
import { type ArchivedFile, dataPrefix, writeArchive } from "../../storage/backup/archive.ts";
import { recordBackup } from "../../storage/backup/backup-record.ts";
import { isOwnDatabase } from "../../storage/backup/data-entries.ts";
import {
  type DataInstant,
  type HeldFile,
  holdInstant,
  storedPlain,
} from "../../storage/backup/data-instant.ts";
import { factsOf, type InstallationFacts, missingFrom } from "../../storage/backup/missing-from.ts";
import { dataFolderFault, openDataFolder } from "../../storage/files/data-folder.ts";
import { giveToOwner } from "../../storage/files/give-to-owner.ts";
import { copyHeldDatabase } from "../../storage/sqlite/copy-held-database.ts";
import type { HeldDatabase } from "../../storage/sqlite/database-hold.ts";
import { findServers } from "../reach.ts";
import type { BackupPlace } from "./backup-place.ts";

/** Facts about a backup, in its `backup.json`. */
export interface AboutBackup {
  format: 1;
  argosy: string;
  /** Instant of all data in it. */
  taken_at: string;
  /** True if the services' tables are in PostgreSQL, and so not in the backup. */
  has_external_database: boolean;
}

export interface MadeBackup extends AboutBackup {
  place: string;
  databases: number;
  files: number;
  /** Bytes before compression. */
  size_bytes: number;
  /** True if the archive has the data folder's keys, `secrets.json`. */
  has_keys: boolean;
  /** Warnings about what the backup does not contain. */
  warnings: string[];
}

export type BackupProgress = (done: { files: number; of: number; bytes: number; ofBytes: number }) => void;

/**
 * Makes a backup of the data folder at one instant, also while a server runs on it. The server only holds the instant; this process copies,
 * checks and compresses.
 */
export async function makeBackup(
  config: Config,
  place: BackupPlace,
  { signal, onProgress }: { signal: AbortSignal; onProgress: BackupProgress },
): Promise<MadeBackup> {
  await requireData(config.dataFolder);
  // Fails for a place that can't be written before it asks the server for anything.
  const { output, keep, drop } = await place.write();
  const { dataFolder } = config;
  let staged: string[] = [];
  try {
    const hold = await holdOf(config, signal);
    const { instant, facts } = hold;
    staged = [instant.staging, ...(instant.staging_elsewhere ?? [])].map((name) => join(dataFolder, name));
    const warnings = [...(instant.warnings ?? [])];
    const files: ArchivedFile[] = [];
    const databases = { sound: 0, plain: 0 };
    try {
      for (const database of instant.databases) {
        const copied = await copyDatabase(dataFolder, database, join(dataFolder, instant.staging), signal);
        databases[copied.isSound ? "sound" : "plain"]++;
        if (!copied.isSound) warnings.push(storedPlain(database.path));
        files.push(...copied.files);
      }
      await hold.requireHeld();
    } catch (thrown) {
      throw dataFolderFault(dataFolder, thrown);
    } finally {
      hold.release();
    }
    for (const { path, staged: stagedAt, sizeBytes, mode } of instant.files) {
      const source = join(dataFolder, stagedAt ?? join(instant.staging, path));
      files.push({ name: dataPrefix + path, source, sizeBytes, mode });
    }
    const hasKeys = instant.files.some(({ path }) => path === "secrets.json");
    const about: AboutBackup = {
      format: 1,
      argosy: version,
      taken_at: instant.taken_at,
      has_external_database: facts.has_external_database,
    };
    const ofBytes = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    let done = 0;
    let bytes = 0;
    await writeArchive(about, files, output, {
      signal,
      onFile({ sizeBytes }) {
        bytes += sizeBytes;
        onProgress({ files: ++done, of: files.length, bytes, ofBytes });
      },
    });
    await keep();
    const { format: _, ...recorded } = about;
    const made = {
      place: place.name,
      databases: databases.sound,
      files: instant.files.length + databases.plain,
      size_bytes: bytes,
    };
    warnings.push(...missingFrom(facts), ...withoutKeys(hasKeys, facts));
    if (place.isLasting) {
      try {
        // In the data folder, an archive that root made belongs to the owner of the folder, as everything else.
        if (place.name.startsWith(`${dataFolder}/`)) giveToOwner(dataFolder, place.name);
        const archive_bytes = (await place.archiveBytes()) ?? null;
        recordBackup(dataFolder, { ...recorded, ...made, archive_bytes });
      } catch (thrown) {
        // The backup itself is complete.
        const reason = thrown instanceof Error ? thrown.message : String(thrown);
        warnings.push(`The list of backups in the data folder could not be written: ${reason}.`);
      }
    }
    return { ...about, ...made, has_keys: hasKeys, warnings: atMost(warnings) };
  } catch (thrown) {
    output.destroy();
    await drop();
    throw thrown;
  } finally {
    for (const folder of staged) await rm(folder, { recursive: true, force: true });
  }
}

/** `missingFrom` tells of keys that come from variables. */
function withoutKeys(hasKeys: boolean, { key_variables }: InstallationFacts): string[] {
  if (hasKeys || key_variables.length > 0) return [];
  return [
    "This backup has no keys, because the data folder has no secrets.json. If the server gets its keys from ARGOSY_SEALING_KEYS and ARGOSY_JWT_KEYS, keep these elsewhere.",
  ];
}

const warningsMax = 100;

/** A tenant may have any number of files that no backup takes. */
function atMost(warnings: readonly string[]): string[] {
  if (warnings.length <= warningsMax) return [...warnings];
  // The last ones are about the whole installation.
  const [head, tail] = [warnings.slice(0, warningsMax - 10), warnings.slice(-10)];
  return [...head, `There are ${warnings.length - warningsMax} further warnings like these.`, ...tail];
}

/** Copies a held database as one file. One that isn't Argosy's own and that SQLite finds damaged is copied as it is, with its log. */
async function copyDatabase(
  dataFolder: string,
  database: HeldDatabase,
  staging: string,
  signal: AbortSignal,
): Promise<{ isSound: boolean; files: ArchivedFile[] }> {
  const { path, walBytes } = database;
  const source = join(staging, path);
  const archived = async (ending: string): Promise<ArchivedFile> => {
    await chmod(source + ending, 0o600);
    const { size } = await stat(source + ending);
    return { name: dataPrefix + path + ending, source: source + ending, sizeBytes: size, mode: 0o600 };
  };
  try {
    await copyHeldDatabase(dataFolder, database, source, signal);
    return { isSound: true, files: [await archived("")] };
  } catch (thrown) {
    if (isOwnDatabase(path) || !(thrown instanceof AppError) || thrown.code !== "backup_damaged")
      throw thrown;
  }
  for (const ending of ["", "-wal", "-shm"]) await rm(source + ending, { force: true });
  const endings = walBytes > 0 ? ["", "-wal"] : [""];
  const real = await realpath(join(dataFolder, path));
  for (const ending of endings) await copyFile(real + ending, source + ending, constants.COPYFILE_FICLONE);
  return { isSound: false, files: await Promise.all(endings.map(archived)) };
}

/** An instant that a server of an earlier version may have told. */
type PossiblyOlder = Omit<DataInstant, "files" | "staging_elsewhere" | "warnings"> &
  Partial<Pick<DataInstant, "staging_elsewhere" | "warnings">> & {
    files: (Omit<HeldFile, "staged"> & Partial<Pick<HeldFile, "staged">>)[];
  };

interface Hold {
  instant: PossiblyOlder;
  facts: InstallationFacts;
  /** Throws if the server no longer holds the instant, so that the copies may be of different times. */
  requireHeld(): Promise<void>;
  release(): void;
}

async function holdOf(config: Config, signal: AbortSignal): Promise<Hold> {
  const [server] = await findServers(config);
  if (server !== undefined) return holdOfServer(config, server.socket, signal);
  requireSound(config);
  const folder = openDataFolder(config.dataFolder);
  try {
    const { release, ...instant } = await holdInstant(folder.path, process.pid, systemClock);
    return {
      instant,
      facts: factsOf(config),
      async requireHeld() {},
      release() {
        release();
        folder.close();
      },
    };
  } catch (thrown) {
    folder.close();
    throw thrown;
  }
}

async function holdOfServer(config: Config, socket: string, signal: AbortSignal): Promise<Hold> {
  const connection = new AbortController();
  const response = await callService(socketAddress(socket), "POST", `${holdPath}?pid=${process.pid}`, {
    signal: AbortSignal.any([signal, connection.signal]),
  });
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  let text = "";
  const decoder = new TextDecoder();
  while (!text.includes("\n")) {
    const { value, done } = await reader.read();
    if (done) throw lost();
    text += decoder.decode(value, { stream: true });
  }
  let hasEnded = false;
  // Reads on, so that an end of the server is noticed.
  const watched = (async () => {
    while (!(await reader.read()).done);
  })().then(
    () => {
      hasEnded = true;
    },
    () => {
      hasEnded = true;
    },
  );
  const { facts = factsOf(config), ...instant } = JSON.parse(
    text.slice(0, text.indexOf("\n")),
  ) as PossiblyOlder & Partial<Pick<ToldInstant, "facts">>;
  return {
    instant,
    facts,
    async requireHeld() {
      await Promise.race([watched, endOfTurn()]);
      if (hasEnded) throw lost();
    },
    release: () => connection.abort(),
  };
}

async function requireData(folder: string): Promise<void> {
  if ((await stat(folder).catch(() => undefined)) !== undefined) return;
  throw new AppError("not_found", "no_data", `There is no data folder ${folder}.`, {
    details: { hint: "Name it with --data, or its workspace with --workspace." },
  });
}

const lost = (): AppError =>
  new AppError("unavailable", "backup_lost_hold", "The server ended while its data was being copied.", {
    details: { hint: "Run the backup again." },
  });
