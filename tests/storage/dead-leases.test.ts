import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { acquireLease } from "../../src/storage/lease.ts";
import { sqliteEngine } from "../support/storage-engines.ts";
import { temporaryFolder } from "../support/temp-folder.ts";

const ttlMs = 60_000;

test("the leases of a dead process are free when the next one opens the data folder, and its terms continue", async () => {
  using folder = temporaryFolder();
  using later = temporaryFolder();
  const tables = () => ({});
  await using killed = await sqliteEngine.open({ tables, folder: folder.path });
  await acquireLease(killed, { name: "duty", owner: "killed", ttlMs });
  // What a killed process leaves behind.
  using reader = new Database(join(folder.path, "sample.db"));
  reader.run("PRAGMA wal_checkpoint(TRUNCATE)");
  copyFileSync(join(folder.path, "sample.db"), join(later.path, "sample.db"));
  await using next = await sqliteEngine.open({ tables, folder: later.path });
  expect(await acquireLease(next, { name: "duty", owner: "next", ttlMs })).toMatchObject({ term: 2 });
  expect(await acquireLease(next, { name: "duty", owner: "killed", ttlMs })).toBeUndefined();
});

test("a database outside of the data folder may have other processes, whose leases stay", async () => {
  using folder = temporaryFolder();
  const file = join(folder.path, "shared.db");
  const tables = () => ({});
  await using one = await sqliteEngine.open({ tables, file });
  await acquireLease(one, { name: "duty", owner: "one", ttlMs });
  await using other = await sqliteEngine.open({ tables, file });
  expect(await acquireLease(other, { name: "duty", owner: "other", ttlMs })).toBeUndefined();
});
