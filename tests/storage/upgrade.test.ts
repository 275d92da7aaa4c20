import { expect, test } from "bun:test";
import { existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "../../src/kit/clock.ts";
import { silentLogger } from "../../src/kit/log.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import { compileScript } from "../support/compile-script.ts";
import { postgresServer } from "../support/postgres.ts";
import { refusal } from "../support/refusal.ts";
import { firstTables, secondTables, versionedMigrations } from "../support/schema-versions.ts";
import { onEachEngine } from "../support/storage-engines.ts";
import { temporaryFolder } from "../support/temp-folder.ts";

const { first, both } = await versionedMigrations("sample");
type Place = typeof base & { folder: string; url?: string };
const base = { service: "sample", log: silentLogger, clock: systemClock, random: Math.random };

onEachEngine("upgrades", (engine) => {
  /** Creates a place for one database that several storages open in turn. */
  const place = async (folder: string): Promise<Place> =>
    engine.dialect === "sqlite"
      ? { ...base, folder }
      : { ...base, folder, url: await (await postgresServer()).createDatabase() };

  /** Opens the database as the first version and inserts rows. */
  async function fillFirst(options: Place): Promise<void> {
    const storage = await openStorage({ ...options, tables: firstTables, migrations: first });
    const { parents, children } = storage.tables;
    await storage.transact(async (tx) => {
      await tx.insert(parents).values({ id: "p", name: "kept", gone: "lost" });
      await tx.insert(children).values([1, 2].map((id) => ({ id, parentId: "p" })));
    });
    await storage.close();
  }

  async function expectSecond(options: Place): Promise<void> {
    const storage = await openStorage({ ...options, tables: secondTables, migrations: both });
    const { parents, children } = storage.tables;
    expect(await storage.read.select().from(parents)).toEqual([{ id: "p", name: "kept" }]);
    expect(await storage.read.select().from(children).orderBy(children.id)).toEqual(
      [1, 2].map((id) => ({ id, parentId: "p", note: null })),
    );
    const orphan = storage.transact((tx) => tx.insert(children).values({ id: 3, parentId: "nobody" }));
    expect((await refusal(orphan)).code).toBe("reference_broken");
    await storage.close();
  }

  test("rows and references outlive a table's rebuild, and reopening changes nothing", async () => {
    using folder = temporaryFolder();
    const options = await place(folder.path);
    await fillFirst(options);
    await expectSecond(options);
    await expectSecond(options);
  });

  test("SQLite: an upgrade keeps a copy that the first version opens; PostgreSQL makes none", async () => {
    using folder = temporaryFolder();
    const options = await place(folder.path);
    await fillFirst(options);
    const backups = join(folder.path, "backups");
    expect(existsSync(backups)).toBeFalse();
    await expectSecond(options);
    if (engine.dialect === "postgres") return expect(existsSync(backups)).toBeFalse();
    const [copy, ...others] = readdirSync(backups);
    expect(copy).toMatch(/^sample-before-\d{4}_\w+\.db$/);
    expect(others).toEqual([]);
    const earlier = await openStorage({
      ...options,
      file: join(backups, copy as string),
      tables: firstTables,
      migrations: first,
    });
    expect(await earlier.read.select().from(earlier.tables.parents)).toEqual([
      { id: "p", name: "kept", gone: "lost" },
    ]);
    await earlier.close();
    await expectSecond(options);
    expect(readdirSync(backups)).toHaveLength(1);
  });

  test("an upgrade whose copy can't be written changes nothing", async () => {
    if (engine.dialect === "postgres") return;
    using folder = temporaryFolder();
    const options = await place(folder.path);
    await fillFirst(options);
    writeFileSync(join(folder.path, "backups"), "a file in the way");
    const upgraded = openStorage({ ...options, tables: secondTables, migrations: both });
    expect((await refusal(upgraded)).code).toBe("upgrade_copy_failed");
    const earlier = await openStorage({ ...options, tables: firstTables, migrations: first });
    await earlier.close();
    rmSync(join(folder.path, "backups"));
    await expectSecond(options);
  });

  test("the first version refuses what the second has migrated; so does an edited step", async () => {
    using folder = temporaryFolder();
    const options = await place(folder.path);
    await fillFirst(options);
    await expectSecond(options);
    const older = openStorage({ ...options, tables: firstTables, migrations: first });
    expect((await refusal(older)).code).toBe("database_newer");
    const edit = (steps: typeof both.sqlite) =>
      steps.map((step) => ({ ...step, sql: `${step.sql}-- edited\n` }));
    const edited = { sqlite: edit(both.sqlite), postgres: edit(both.postgres) };
    expect((await refusal(openStorage({ ...options, tables: secondTables, migrations: edited }))).code).toBe(
      "migration_edited",
    );
    await expectSecond(options);
  });

  test("killed before any statement of a migration, the next start completes it", async () => {
    using code = temporaryFolder();
    const migrator = await compileScript(join(import.meta.dirname, "killed-migrator.ts"), code.path);
    let statements = 0;
    for (let wasKilled = true; wasKilled; statements += 1) {
      using folder = temporaryFolder();
      const options = await place(folder.path);
      await fillFirst(options);
      const target = options.url ?? join(folder.path, "sample.db");
      const args = [engine.dialect, target, String(statements), JSON.stringify(both)];
      const child = Bun.spawn([process.execPath, migrator, ...args], { stdout: "ignore", stderr: "inherit" });
      await child.exited;
      wasKilled = child.signalCode === "SIGKILL";
      if (!wasKilled) expect(child.exitCode).toBe(0);
      await expectSecond(options);
    }
    expect(statements).toBeGreaterThan(8);
  });

  if (engine.dialect === "sqlite") return;

  test("several that start at once on an empty database all find it migrated", async () => {
    using folder = temporaryFolder();
    const options = await place(folder.path);
    const opening = Array.from({ length: 4 }, () =>
      openStorage({ ...options, tables: secondTables, migrations: both }),
    );
    for (const storage of await Promise.all(opening)) {
      await storage.check();
      await storage.close();
    }
  });
});
