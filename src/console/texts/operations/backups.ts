import type { BackupJob, KnownBackup } from "../../../contracts/daemon/backups.ts";
import { counted } from "../counted.ts";

/** Texts of the backups page. */
export const backupTexts = {
  title: "Backups",
  lead: "Backups of the data folder, and how to restore them. The server answers as usual while it makes one.",
  refresh: "Refresh",
  start: "Back up now",
  starting: "New backup",
  place: "Place",
  placeHint:
    "Absolute path of a new file, or s3://bucket/key. Leave it empty for a file in the folder below.",
  defaultFolder: (folder: string) => `Default folder: ${folder}`,
  sameDisk: "The default folder is on the disk of the data: copy the file elsewhere.",
  keys: "A backup contains the keys of this installation. Keep it as safe as the data folder.",
  last: "Last backup",
  never: "None yet",
  count: "Backups",
  present: (count: number) => `${counted(count, "file")} present`,
  job: "Progress",
  jobs: {
    running: "Running",
    done: "Done",
    failed: "Failed",
  } satisfies Record<BackupJob["state"], string>,
  copying: "Copying and checking databases",
  progress: (files: number, of: number, bytes: string, ofBytes: string) =>
    `${files} of ${counted(of, "file")}, ${bytes} of ${ofBytes}`,
  percent: "Progress of the backup",
  failure: "The backup failed",
  list: "Known backups",
  none: "No backup of this data folder is known. “Back up now” or `argosy backup` makes one.",
  taken: "Taken",
  size: "Size",
  content: "Content",
  contentOf: (databases: number, files: number) =>
    `${counted(databases, "database")}, ${counted(files, "other file")}`,
  checked: "Each database passed SQLite's integrity check. The archive has a SHA-256 sum of each file.",
  state: "State",
  states: {
    present: "Present",
    changed: "Size changed",
    missing: "Missing",
    elsewhere: "Object store",
  } satisfies Record<KnownBackup["state"], string>,
  restore: "Restore",
  restoreOf: (taken: string) => `Restore the backup of ${taken}`,
  restoreLead: "A restore replaces the data folder, so it is a command and not a button.",
  trial: "To check it first, restore it into a new folder. The server may run.",
  replace: "To replace the present data, stop the server and run:",
  kept: "The present data is moved to before-restore-… in the data folder, not deleted.",
  missing: "Not in backups",
  copy: "Copy command",
};
