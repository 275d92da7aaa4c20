import { expect, test } from "bun:test";
import { chownSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { RecordedBackup } from "../../../src/contracts/daemon/backups.ts";
import { readBackups, recordBackup } from "../../../src/storage/backup/backup-record.ts";
import { isVolatile } from "../../../src/storage/backup/data-entries.ts";
import { temporaryFolder } from "../../support/temp-folder.ts";

const backup = (place: string): RecordedBackup => ({
  place,
  taken_at: "2026-01-02T03:04:05.000Z",
  argosy: "0.1.0",
  databases: 1,
  files: 2,
  size_bytes: 3,
  archive_bytes: null,
  has_external_database: false,
});

test("the newest 100 are remembered, one for each place, for this user alone", () => {
  using folder = temporaryFolder();
  for (let number = 0; number < 103; number++) recordBackup(folder.path, backup(`/b/${number}`));
  recordBackup(folder.path, backup("/b/50"));
  const places = readBackups(folder.path).map(({ place }) => place);
  expect([places.length, places[0], places[1], places.at(-1)]).toEqual([100, "/b/50", "/b/102", "/b/3"]);
  expect(statSync(join(folder.path, "archives/backups.json")).mode & 0o777).toBe(0o600);
});

test("a damaged list has no backups, and the next backup begins it anew", () => {
  using folder = temporaryFolder();
  mkdirSync(join(folder.path, "archives"));
  writeFileSync(join(folder.path, "archives/backups.json"), '[{"place":1}]');
  expect(readBackups(folder.path)).toEqual([]);
  recordBackup(folder.path, backup("/b/1"));
  expect(readBackups(folder.path)).toEqual([backup("/b/1")]);
});

test("no backup contains those before it", () => {
  expect(["archives", "archives/a.tar.zst"].map(isVolatile)).toEqual([true, true]);
  expect(["archives-of-mine/a", "daemon.db"].map(isVolatile)).toEqual([false, false]);
});

const isRoot = process.getuid?.() === 0;
test.skipIf(!isRoot)(
  `a list that root writes belongs to the folder's owner${isRoot ? "" : " (needs root)"}`,
  () => {
    using folder = temporaryFolder();
    chownSync(folder.path, 4321, 4321);
    recordBackup(folder.path, backup("/b/1"));
    const owners = ["archives", "archives/backups.json"].map((name) => statSync(join(folder.path, name)).uid);
    expect(owners).toEqual([4321, 4321]);
  },
);
