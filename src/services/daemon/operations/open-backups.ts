import { mkdirSync } from "node:fs";
import { stat } from "node:fs/promises";
import { isAbsolute, join, normalize } from "node:path";
import {
  type BackupJob,
  type BackupList,
  backupFileName,
  type KnownBackup,
  type RecordedBackup,
} from "../../../contracts/daemon/backups.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { Clock } from "../../../kit/clock.ts";
import type { Logger } from "../../../kit/log.ts";
import { readBackups } from "../../../storage/backup/backup-record.ts";
import { archivesFolder } from "../../../storage/backup/data-entries.ts";
import { factsOf, type InstallationSettings, missingFrom } from "../../../storage/backup/missing-from.ts";
import { giveToOwner } from "../../../storage/files/give-to-owner.ts";
import { runBackup } from "./backup-process.ts";
import type { BackupPorts } from "./backup-routes.ts";

export interface Backups extends BackupPorts {
  /** Stops the backup that runs; its draft is removed. */
  close(): Promise<void>;
}

export interface BackupParts {
  config: InstallationSettings & { workspace: string };
  folder: { path: string };
  /** Starts `argosy backup`. */
  command: readonly string[];
  clock: Clock;
  log: Logger;
}

/** Lists the backups of the data folder, and makes one at a time in a process of its own, as `argosy backup` does. */
export function openBackups({ config, folder, clock, log, command }: BackupParts): Backups {
  const archives = join(folder.path, archivesFolder);
  let job: BackupJob | undefined;
  let running: { stop(): void; ended: Promise<void> } | undefined;

  async function follow(current: BackupJob, child: ReturnType<typeof runBackup>): Promise<void> {
    const error = await child.ended;
    current.state = error === null ? "done" : "failed";
    current.error = error;
    current.ended_at = clock.now().toISOString();
    running = undefined;
    for (const message of child.warnings()) log.warn("backup.warning", { place: current.place, message });
    if (error === null) log.info("backup.made", { place: current.place });
    else log.warn("backup.failed", { place: current.place, error: error.error, message: error.message });
  }

  return {
    async list(): Promise<BackupList> {
      const known = readBackups(folder.path).map((backup) => present(backup, folder.path));
      return {
        backups: await Promise.all(known),
        job: job ?? null,
        folder: archives,
        missing: missingFrom(factsOf(config)),
      };
    },
    start({ place: named }) {
      if (running !== undefined) {
        throw new AppError("conflict", "backup_running", "The daemon is making a backup.", {
          details: { hint: "Wait until it has ended." },
        });
      }
      const place = named === undefined ? join(archives, backupFileName(clock.now())) : placeOf(named);
      if (named === undefined) {
        mkdirSync(archives, { recursive: true, mode: 0o700 });
        giveToOwner(folder.path, archives);
      }
      const current: BackupJob = {
        state: "running",
        place,
        started_at: clock.now().toISOString(),
        ended_at: null,
        files: 0,
        of_files: 0,
        bytes: 0,
        of_bytes: 0,
        error: null,
      };
      const options = ["--data", folder.path, "--workspace", config.workspace, "--json", "--progress"];
      const child = runBackup([...command, place, ...options], config.workspace, (done) =>
        Object.assign(current, done),
      );
      job = current;
      running = { stop: child.stop, ended: follow(current, child) };
      return { ...current };
    },
    async close() {
      running?.stop();
      await running?.ended;
    },
  };
}

function placeOf(named: string): string {
  if (/^s3:\/\/[^/]+\/.*[^/]$/.test(named)) return named;
  if (isAbsolute(named) && !named.endsWith("/") && !named.includes("\0")) return normalize(named);
  throw new AppError(
    "invalid",
    "invalid_backup_place",
    `${JSON.stringify(named)} is not a place for a backup.`,
    {
      details: { hint: "Write the absolute path of a new file, or s3://bucket/key." },
    },
  );
}

async function present(backup: RecordedBackup, folder: string): Promise<KnownBackup> {
  const { place } = backup;
  const isElsewhere = place.startsWith("s3://");
  const fileStatus = isElsewhere ? undefined : await stat(place).catch(() => undefined);
  const state = isElsewhere
    ? "elsewhere"
    : fileStatus === undefined
      ? "missing"
      : fileStatus.size === backup.archive_bytes
        ? "present"
        : "changed";
  return {
    ...backup,
    state,
    restore_command: `argosy restore ${quoted(place)} --data ${quoted(folder)} --force`,
    trial_command: `argosy restore ${quoted(place)} --data ./restored`,
  };
}

/** Quotes a word for a POSIX shell if it needs quotes. */
const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
