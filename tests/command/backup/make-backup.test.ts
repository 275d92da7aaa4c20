import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { PassThrough } from "node:stream";
import { backupPlace } from "../../../src/command/backup/backup-place.ts";
import { makeBackup } from "../../../src/command/backup/make-backup.ts";
import { restoreBackup } from "../../../src/command/backup/restore-backup.ts";
import { createInstantHolder } from "../../../src/compose/backup-instant-route.ts";
import type { Config } from "../../../src/compose/settings/config.ts";
import { systemClock } from "../../../src/kit/clock.ts";
import { silentLogger } from "../../../src/kit/log.ts";
import { readBackups } from "../../../src/storage/backup/backup-record.ts";
import { controlSocketPath } from "../../../src/storage/files/data-folder.ts";
import { refusal } from "../../support/refusal.ts";
import { smallDisk, smallDiskMissing } from "../../support/small-disk.ts";
import { temporaryFolder } from "../../support/temp-folder.ts";

const isRoot = process.getuid?.() === 0;
const signal = new AbortController().signal;
const magic = "SQLite format 3\0";

/** A data folder `data` and a place for archives. */
function world(settings: Partial<Pick<Config, "databaseUrl" | "redisUrl" | "secrets">> = {}) {
  const folder = temporaryFolder();
  const data = join(folder.path, "data");
  mkdirSync(data, { mode: 0o700 });
  const config = (dataFolder = data) =>
    ({ secrets: { generate: true }, ...settings, dataFolder, variable: () => undefined }) as never as Config;
  const place = (name: string) =>
    backupPlace(name, folder.path, config(), { stdin: new PassThrough(), stdout: new PassThrough() });
  return {
    path: folder.path,
    data,
    config,
    put(files: Readonly<Record<string, string>>, below = data) {
      for (const [path, text] of Object.entries(files)) {
        mkdirSync(dirname(join(below, path)), { recursive: true });
        writeFileSync(join(below, path), text);
      }
    },
    backUp: async (name: string) =>
      makeBackup(config(), await place(name), { signal, onProgress: () => undefined }),
    restore: async (name: string, to: string, { force = false } = {}) =>
      restoreBackup(config(to), await place(name), { force, signal, onProgress: () => undefined }),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

const text = (...parts: string[]) => readFileSync(join(...parts), "utf8");

test("a tenant's file that begins like a database is backed up and restored", async () => {
  using here = world();
  here.put({ "tenants/acme/pad": `${magic}12345`, "tenants/acme/travel-journal": "day one" });
  const made = await here.backUp("a");
  expect([made.databases, made.files]).toEqual([0, 2]);
  const to = join(here.path, "restored");
  await here.restore("a", to);
  expect(text(to, "tenants/acme/pad")).toBe(`${magic}12345`);
  expect(text(to, "tenants/acme/travel-journal")).toBe("day one");
});

test("a damaged database that isn't Argosy's is kept as it is, with a warning", async () => {
  using here = world();
  const database = new Database(join(here.data, "notes.sqlite"));
  database.run("CREATE TABLE rows AS SELECT randomblob(9000) AS bytes");
  database.run("CREATE INDEX by_bytes ON rows (bytes)");
  database.close();
  const bytes = readFileSync(join(here.data, "notes.sqlite"));
  bytes.fill(0x55, 4096, 4196);
  writeFileSync(join(here.data, "notes.sqlite"), bytes);
  const made = await here.backUp("a");
  expect([made.databases, made.files]).toEqual([0, 1]);
  expect(made.warnings).toContainEqual(expect.stringContaining('"notes.sqlite" begins like a SQLite'));
  const to = join(here.path, "restored");
  await here.restore("a", to);
  expect(readFileSync(join(to, "notes.sqlite")).equals(bytes)).toBeTrue();
  // One of Argosy's own stops the backup instead.
  renameSync(join(here.data, "notes.sqlite"), join(here.data, "daemon.db"));
  expect(await refusal(here.backUp("b"))).toMatchObject({ code: "backup_damaged" });
  expect(readdirSync(here.path).toSorted()).toEqual(["a", "data", "restored"]);
});

test("the content of a linked folder comes back as a plain folder", async () => {
  using here = world();
  here.put({ "one.json": "tape" }, join(here.path, "big-disk"));
  symlinkSync(join(here.path, "big-disk"), join(here.data, "cassettes"));
  await here.backUp("a");
  await here.restore("a", here.data, { force: true });
  expect(text(here.data, "cassettes/one.json")).toBe("tape");
  expect(text(here.path, "big-disk/one.json")).toBe("tape");
});

test("a backup has the server's facts, not those of the command's own environment", async () => {
  using here = world();
  const server = {
    dataFolder: here.data,
    databaseUrl: "postgres://db/argosy",
    redisUrl: "redis://cache",
    secrets: { sealingKeys: "k1:AA", jwtKeys: "k1:AA", generate: true },
  };
  const holder = createInstantHolder(server as never, systemClock, silentLogger);
  const listener = Bun.serve({
    unix: controlSocketPath(here.data),
    fetch: (request) => (request.method === "POST" ? holder.answer(process.pid) : new Response("ok")),
  });
  here.put({ "node-name": "n" });
  const made = await here.backUp("a");
  await listener.stop(true);
  expect(made).toMatchObject({ has_external_database: true, has_keys: false });
  expect(made.warnings).toEqual([
    expect.stringContaining("PostgreSQL"),
    expect.stringContaining("Redis"),
    expect.stringContaining("ARGOSY_SEALING_KEYS and ARGOSY_JWT_KEYS"),
  ]);
  expect(readBackups(here.data)).toMatchObject([{ has_external_database: true }]);
  expect(await here.restore("a", join(here.path, "restored"))).toMatchObject({ has_external_database: true });
});

test("a backup says whether it has the keys", async () => {
  using here = world();
  here.put({ "node-name": "n" });
  const without = await here.backUp("a");
  expect(without).toMatchObject({ has_keys: false, warnings: [expect.stringContaining("has no keys")] });
  here.put({ "secrets.json": "{}" });
  expect(await here.backUp("b")).toMatchObject({ has_keys: true, warnings: [] });
});

test("lost+found stays where it is in a restore, and asks for no --force", async () => {
  using here = world();
  here.put({ "node-name": "n" });
  await here.backUp("a");
  const to = join(here.path, "mount");
  here.put({ "lost+found/1": "x" }, to);
  const restored = await here.restore("a", to);
  expect(restored).toMatchObject({ replaced: null, warnings: [expect.stringContaining("lost+found")] });
  expect([text(to, "node-name"), text(to, "lost+found/1")]).toEqual(["n", "x"]);
});

const blocked = `a restore that can't move an entry moves all back, and works once that is mended${smallDiskMissing === undefined ? "" : ` (${smallDiskMissing})`}`;
test.skipIf(smallDiskMissing !== undefined)(blocked, async () => {
  using here = world();
  here.put({ "node-name": "old", "models/a": "old model", "tenants/acme/note": "old note" });
  await here.backUp("a");
  here.put({ "node-name": "new", "models/a": "new model", "tenants/acme/note": "new note" });
  const before = readdirSync(here.data).toSorted();
  {
    // A mount point can't be moved. It has the name of an entry that is.
    using disk = smallDisk(64);
    mkdirSync(join(here.data, "vectors"));
    Bun.spawnSync(["mount", "--bind", disk.path, join(here.data, "vectors")]);
    const error = await refusal(here.restore("a", here.data, { force: true }));
    Bun.spawnSync(["umount", join(here.data, "vectors")]);
    expect(error).toMatchObject({
      code: "restore_blocked",
      message: expect.stringMatching(/"vectors" .* mount point/),
    });
  }
  rmdirSync(join(here.data, "vectors"));
  expect(readdirSync(here.data).toSorted()).toEqual(before);
  expect(text(here.data, "node-name") + text(here.data, "models/a")).toBe("newnew model");
  const { replaced } = await here.restore("a", here.data, { force: true });
  expect(text(here.data, "node-name") + text(replaced ?? "", "node-name")).toBe("oldnew");
  expect(existsSync(join(here.data, "restoring"))).toBeFalse();
});

const foreign = `an entry that this user may not move is told, and all is moved back${isRoot ? " (root may)" : ""}`;
test.skipIf(isRoot)(foreign, async () => {
  using here = world();
  here.put({ "node-name": "old", "models/a": "old model" });
  await here.backUp("a");
  // A folder may only be moved to another one by a user who may write it.
  chmodSync(join(here.data, "models"), 0o500);
  const error = await refusal(here.restore("a", here.data, { force: true }));
  expect(error).toMatchObject({ code: "restore_blocked", message: expect.stringContaining('"models"') });
  expect(existsSync(join(here.data, "restoring"))).toBeFalse();
  chmodSync(join(here.data, "models"), 0o700);
  expect(await here.restore("a", here.data, { force: true })).toMatchObject({ files: 2 });
  // What this user can't read stays, and is no reason to fail.
  mkdirSync(join(here.data, "closed"), { mode: 0 });
  const restored = await here.restore("a", here.data, { force: true });
  expect(restored.warnings).toEqual([expect.stringContaining('"closed"')]);
  chmodSync(join(here.data, "closed"), 0o700);
});

const full = `a full disk of the data folder is told as such, by a backup and by a restore${smallDiskMissing === undefined ? "" : ` (${smallDiskMissing})`}`;
test.skipIf(smallDiskMissing !== undefined)(full, async () => {
  using here = world();
  const database = new Database(join(here.data, "daemon.db"));
  database.run("CREATE TABLE rows AS SELECT randomblob(300000) AS bytes");
  database.close();
  using disk = smallDisk(512);
  const told = { code: "data_folder_unusable", message: expect.stringContaining("its disk is full") };
  here.put({ "models/a": "" });
  writeFileSync(join(here.data, "models/a"), crypto.getRandomValues(Buffer.alloc(60_000)));
  writeFileSync(join(disk.path, "daemon.db"), readFileSync(join(here.data, "daemon.db")));
  // The copy of the database finds no room beside it.
  const small = await backupPlace("small", here.path, here.config(), {} as never);
  const making = makeBackup(here.config(disk.path), small, { signal, onProgress: () => undefined });
  expect(await refusal(making)).toMatchObject(told);
  expect(readdirSync(disk.path).filter((name) => name.startsWith(".backup"))).toEqual([]);
  // A database without the tables of its service is not a backup of this version, so a plain file stands for it.
  renameSync(join(here.data, "daemon.db"), join(here.data, "models/b"));
  await here.backUp("a");
  expect(await refusal(here.restore("a", disk.path, { force: true }))).toMatchObject(told);
  expect(existsSync(join(disk.path, "daemon.db"))).toBeTrue();
});

const owned = `what root backs up and restores in a data folder belongs to its owner${isRoot ? "" : " (needs root)"}`;
test.skipIf(!isRoot)(owned, async () => {
  using here = world();
  here.put({ "node-name": "n", "models/a": "m" });
  mkdirSync(join(here.data, "archives"));
  chownSync(here.data, 4321, 4321);
  await here.backUp("data/archives/a");
  const owner = (path: string) => statSync(join(here.data, path)).uid;
  expect(["archives/a", "archives/backups.json", "lock"].map(owner)).toEqual([4321, 4321, 4321]);
  const { replaced } = await here.restore("data/archives/a", here.data, { force: true });
  expect(["node-name", "models", "models/a"].map(owner)).toEqual([4321, 4321, 4321]);
  expect(statSync(replaced ?? "").uid).toBe(4321);
});
