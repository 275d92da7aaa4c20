import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { RecordedBackup } from "../../contracts/daemon/backups.ts";
import { giveToOwner } from "../files/give-to-owner.ts";
import { replaceFile } from "../files/replace-file.ts";
import { archivesFolder } from "./data-entries.ts";

const kept = 100;
const Records = Type.Array(RecordedBackup);
const fileOf = (folder: string) => join(folder, archivesFolder, "backups.json");

/** Returns the backups that the data folder remembers, newest first. A file that can't be read has none. */
export function readBackups(folder: string): RecordedBackup[] {
  try {
    const read: unknown = JSON.parse(readFileSync(fileOf(folder), "utf8"));
    return Value.Check(Records, read) ? read : [];
  } catch {
    return [];
  }
}

/** Remembers a backup. The newest 100 stay. One that is at the same place as an earlier one replaces it. */
export function recordBackup(folder: string, backup: RecordedBackup): void {
  const others = readBackups(folder).filter(({ place }) => place !== backup.place);
  const archives = join(folder, archivesFolder);
  mkdirSync(archives, { recursive: true, mode: 0o700 });
  giveToOwner(folder, archives);
  replaceFile(fileOf(folder), `${JSON.stringify([backup, ...others].slice(0, kept), null, 2)}\n`, 0o600);
  giveToOwner(folder, fileOf(folder));
}
