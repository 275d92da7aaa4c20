import { expect, test } from "bun:test";
import { rmSync, statfsSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "../../src/kit/clock.ts";
import { silentLogger } from "../../src/kit/log.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import { sampleTables } from "../support/sample-tables.ts";
import { smallDisk, smallDiskMissing } from "../support/small-disk.ts";
import { firstMigrations } from "../support/storage-engines.ts";
import { temporaryFolder } from "../support/temp-folder.ts";

const reason = smallDiskMissing === undefined ? "" : ` (${smallDiskMissing})`;

test("readiness checks don't grow the write-ahead log", async () => {
  using folder = temporaryFolder();
  const storage = await openStorage({
    service: "sample",
    tables: sampleTables,
    migrations: await firstMigrations("sample", sampleTables),
    folder: folder.path,
    log: silentLogger,
    clock: systemClock,
    random: Math.random,
  });
  const logBytes = () => statSync(join(folder.path, "sample.db-wal")).size;
  for (let check = 0; check < 40; check++) await storage.check();
  const before = logBytes();
  for (let check = 0; check < 200; check++) await storage.check();
  expect(logBytes()).toBe(before);
  await storage.close();
});

test.skipIf(smallDiskMissing !== undefined)(
  `a full disk refuses writes, keeps reading, and recovers by itself${reason}`,
  async () => {
    using disk = smallDisk(2048);
    const storage = await openStorage({
      service: "sample",
      tables: sampleTables,
      migrations: await firstMigrations("sample", sampleTables),
      folder: disk.path,
      log: silentLogger,
      clock: systemClock,
      random: Math.random,
    });
    const { things } = storage.tables;
    const stored = async () =>
      (await storage.read.select({ id: things.id }).from(things)).map(({ id }) => id).sort();
    let made = 0;
    const insertSome = async () => {
      const ids = Array.from({ length: 8 }, () => `thing ${made++}`);
      const outcomes = await Promise.allSettled(
        ids.map((id) =>
          storage.transact((tx) => tx.insert(things).values({ id, name: `${id} ${"x".repeat(2000)}` })),
        ),
      );
      const refused = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason] : []));
      for (const error of refused)
        expect(error).toMatchObject({ kind: "unavailable", code: "storage_unavailable" });
      return ids.filter((_, index) => outcomes[index]?.status === "fulfilled");
    };

    const acknowledged = await insertSome();
    expect(acknowledged).toHaveLength(8);
    const ballast = join(disk.path, "ballast");
    const free = statfsSync(disk.path);
    writeFileSync(ballast, Buffer.alloc((free.bavail - 24) * free.bsize));

    let accepted: string[];
    do {
      accepted = await insertSome();
      acknowledged.push(...accepted);
    } while (accepted.length > 0);
    expect(await stored()).toEqual(acknowledged.sort());

    rmSync(ballast);
    await storage.check();
    const afterwards = await insertSome();
    expect(afterwards).toHaveLength(8);
    expect(await stored()).toEqual([...acknowledged, ...afterwards].sort());
    await storage.close();
  },
);
