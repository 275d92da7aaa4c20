import { chmod, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { version } from "../../../../package.json";
import { callService } from "../../../contracts/service-call.ts";
import { AppError } from "../../../kit/app-error.ts";
import { systemClock } from "../../../kit/clock.ts";
import { endOfTurn } from "../../../kit/concurrency/others-turn.ts";
import { type ArchivedFile, dataPrefix, writeArchive } from "../../../storage/backup/archive.ts";
import { recordBackup } from "../../../storage/backup/backup-record.ts";
import { type DataInstant, holdInstant } from "../../../storage/backup/data-instant.ts";
import { openDataFolder } from "../../../storage/files/data-folder.ts";
import { copyHeldDatabase } from "../../../storage/sqlite/copy-held-database.ts";
import { holdPath } from "../../hold-route.ts";
import { socketAddress } from "../../peers.ts";
import { services } from "../../services.ts";
import type { Config } from "../../settings/config.ts";
import { findServer } from "../reach.ts";
import type { BackupPlace } from "./backup-place.ts";
import { missingFrom } from "./missing-from.ts";

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
  let staging: string | undefined;
  try {
    const hold = await holdOf(config, signal);
    staging = join(config.dataFolder, hold.instant.staging);
    const files: ArchivedFile[] = [];
    try {
      for (const database of hold.instant.databases) {
        const source = join(staging, database.path);
        await copyHeldDatabase(config.dataFolder, database, source, signal);
        await chmod(source, 0o600);
        const { size } = await stat(source);
        files.push({ name: dataPrefix + database.path, source, sizeBytes: size, mode: 0o600 });
      }
      await hold.requireHeld();
    } finally {
      hold.release();
    }
    for (const { path, sizeBytes, mode } of hold.instant.files)
      files.push({ name: dataPrefix + path, source: join(staging, path), sizeBytes, mode });
    const about: AboutBackup = {
      format: 1,
      argosy: version,
      taken_at: hold.instant.taken_at,
      has_external_database: config.databaseUrl !== undefined,
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
    const { format: _, ...facts } = about;
    const made = {
      place: place.name,
      databases: hold.instant.databases.length,
      files: hold.instant.files.length,
      size_bytes: bytes,
    };
    const warnings = [...missingFrom(config)];
    if (place.isLasting) {
      try {
        const archive_bytes = (await place.archiveBytes()) ?? null;
        recordBackup(config.dataFolder, { ...facts, ...made, archive_bytes });
      } catch (thrown) {
        // The backup itself is complete.
        const reason = thrown instanceof Error ? thrown.message : String(thrown);
        warnings.push(`The list of backups in the data folder could not be written: ${reason}.`);
      }
    }
    return { ...about, ...made, warnings };
  } catch (thrown) {
    output.destroy();
    await drop();
    throw thrown;
  } finally {
    if (staging !== undefined) await rm(staging, { recursive: true, force: true });
  }
}

interface Hold {
  instant: DataInstant;
  /** Throws if the server no longer holds the instant, so that the copies may be of different times. */
  requireHeld(): Promise<void>;
  release(): void;
}

async function holdOf(config: Config, signal: AbortSignal): Promise<Hold> {
  for (const { name } of services) {
    const socket = await findServer(config, name);
    if (socket !== undefined) return holdOfServer(socket, signal);
  }
  const folder = openDataFolder(config.dataFolder);
  try {
    const { release, ...instant } = await holdInstant(folder.path, process.pid, systemClock);
    return {
      instant,
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

async function holdOfServer(socket: string, signal: AbortSignal): Promise<Hold> {
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
  return {
    instant: JSON.parse(text.slice(0, text.indexOf("\n"))),
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
