import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { systemClock } from "../../../src/kit/clock.ts";
import { isArchivable } from "../../../src/storage/backup/archive.ts";
import { isVolatile } from "../../../src/storage/backup/data-entries.ts";
import { holdInstant, sweepStaging } from "../../../src/storage/backup/data-instant.ts";
import { giveToOwner } from "../../../src/storage/files/give-to-owner.ts";
import { refusal } from "../../support/refusal.ts";
import { smallDisk, smallDiskMissing } from "../../support/small-disk.ts";
import { temporaryFolder } from "../../support/temp-folder.ts";

const isRoot = process.getuid?.() === 0;
const magic = "SQLite format 3\0";

function put(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

/** Takes an instant, and returns its paths and warnings, and the texts of its files. */
async function taken(folder: string) {
  const held = await holdInstant(folder, process.pid, systemClock);
  held.release();
  return {
    held,
    databases: held.databases.map(({ path }) => path),
    files: held.files.map(({ path }) => path).toSorted(),
    warnings: held.warnings,
    text: (path: string) => {
      const file = held.files.find((one) => one.path === path);
      return readFileSync(join(folder, file?.staged ?? "absent"), "utf8");
    },
  };
}

test("tenants' files are plain files, with any content and any name", async () => {
  using folder = temporaryFolder();
  const files = {
    "tenants/acme/pad": `${magic}12345`,
    "tenants/acme/pad-wal": "notes",
    "tenants/acme/travel-journal": "day one",
    "tenants/acme/backups/it-before-it.db": "mine",
    "tenants/acme/.note.draft": "draft",
  };
  put(folder.path, files);
  const { databases, files: paths, warnings, text } = await taken(folder.path);
  expect([databases, paths, warnings]).toEqual([[], Object.keys(files).toSorted(), []]);
  for (const [path, content] of Object.entries(files)) expect(text(path)).toBe(content);
});

test("another's file that begins like a database is a plain file with a warning, and a sound one is held", async () => {
  using folder = temporaryFolder();
  put(folder.path, { "evals/broken": `${magic}12345`, "evals/broken-wal": "rest" });
  const sound = new Database(join(folder.path, "evals/sound"));
  sound.run("PRAGMA journal_mode = WAL");
  sound.run("CREATE TABLE rows (n INTEGER)");
  const { databases, files, warnings } = await taken(folder.path);
  sound.close();
  expect([databases, files]).toEqual([["evals/sound"], ["evals/broken", "evals/broken-wal"]]);
  expect(warnings).toEqual([expect.stringContaining("evals/broken")]);
});

test("a damaged database of Argosy's own stops the backup, with its name", async () => {
  using folder = temporaryFolder();
  put(folder.path, { "memory/chats.db": `${magic}${"x".repeat(4096)}` });
  const error = await refusal(holdInstant(folder.path, process.pid, systemClock));
  expect(error).toMatchObject({
    code: "backup_damaged",
    message: expect.stringContaining("memory/chats.db"),
  });
});

test("names like those of SQLite's own files are left out only beside their database", async () => {
  using folder = temporaryFolder();
  put(folder.path, { "cassettes/road-journal": "j", "cassettes/pad-wal": "w", "orphan.db-shm": "s" });
  const database = new Database(join(folder.path, "daemon.db"));
  database.run("PRAGMA journal_mode = WAL");
  database.run("CREATE TABLE rows (n INTEGER)");
  expect(existsSync(join(folder.path, "daemon.db-wal"))).toBeTrue();
  const { databases, files } = await taken(folder.path);
  database.close();
  expect([databases, files]).toEqual([
    ["daemon.db"],
    ["cassettes/pad-wal", "cassettes/road-journal", "orphan.db-shm"],
  ]);
});

test("links at the top level are followed, others and loops are left out with a warning", async () => {
  using folder = temporaryFolder();
  using elsewhere = temporaryFolder();
  put(elsewhere.path, { "tapes/one.json": "tape", "notes.txt": "note", "secret.txt": "secret" });
  put(folder.path, { "tenants/acme/own": "own" });
  const link = (to: string, name: string) => symlinkSync(to, join(folder.path, name));
  link(join(elsewhere.path, "tapes"), "cassettes");
  link(join(elsewhere.path, "notes.txt"), "notes.txt");
  link(folder.path, "self");
  link(dirname(folder.path), "around");
  link("tenants", "within");
  link("nowhere", "broken");
  link("/dev/null", "device");
  link(join(elsewhere.path, "secret.txt"), "tenants/acme/out");
  link(elsewhere.path, "tenants/acme/folder");
  symlinkSync("..", join(elsewhere.path, "tapes/up"));
  const { files, warnings, text } = await taken(folder.path);
  expect(files).toEqual(["cassettes/one.json", "notes.txt", "tenants/acme/own"]);
  expect([text("cassettes/one.json"), text("notes.txt")]).toEqual(["tape", "note"]);
  const left = [
    "self",
    "around",
    "within",
    "broken",
    "device",
    "tenants/acme/out",
    "tenants/acme/folder",
    "cassettes/up",
  ];
  expect(warnings.map((warning) => JSON.parse(warning.split(" is not")[0] ?? "")).toSorted()).toEqual(
    left.toSorted(),
  );
});

test("a database behind a link is held with the log beside its file", async () => {
  using folder = temporaryFolder();
  using elsewhere = temporaryFolder();
  const database = new Database(join(elsewhere.path, "fast.db"));
  database.run("PRAGMA journal_mode = WAL");
  database.run("CREATE TABLE rows (n INTEGER)");
  symlinkSync(join(elsewhere.path, "fast.db"), join(folder.path, "daemon.db"));
  const { held } = await taken(folder.path);
  database.close();
  expect(held.databases).toEqual([{ path: "daemon.db", walBytes: expect.any(Number) }]);
  expect(held.databases[0]?.walBytes).toBeGreaterThan(0);
});

test("names that no archive can have are left out with a warning", async () => {
  using folder = temporaryFolder();
  put(folder.path, { "tenants/acme/two\nlines": "1", "tenants/acme/back\\slash": "2" });
  const { files, warnings } = await taken(folder.path);
  expect(files).toEqual(["tenants/acme/back\\slash"]);
  expect(warnings).toEqual([expect.stringContaining("two\\nlines")]);
  expect(["a/..", "a\\..\\b", "a//b", "a\0"].map(isArchivable)).toEqual([false, false, false, false]);
});

test.skipIf(process.platform !== "linux")("a path that a restore could not create is left out", async () => {
  using folder = temporaryFolder();
  const deep = `tenants/acme${`/${"d".repeat(200)}`.repeat(18)}`;
  put(folder.path, { [`${deep}/file`]: "deep", "tenants/acme/note": "note" });
  const { files, warnings } = await taken(folder.path);
  expect(files).toEqual(["tenants/acme/note"]);
  expect(warnings).toEqual([expect.stringContaining("its path is too long")]);
});

test("lost+found and sockets are left out with a warning, the folder's own process files without", async () => {
  using folder = temporaryFolder();
  put(folder.path, { "lost+found/1": "x", lock: "", pid: "1", "a.txt": "a" });
  const server = Bun.serve({ unix: join(folder.path, "control.sock"), fetch: () => new Response() });
  const { files, warnings } = await taken(folder.path);
  await server.stop(true);
  expect([files, warnings]).toEqual([["a.txt"], [expect.stringContaining("lost+found")]]);
});

const unreadable = `what this user may not read is left out with a warning, unless it is essential${isRoot ? " (root may)" : ""}`;
test.skipIf(isRoot)(unreadable, async () => {
  using folder = temporaryFolder();
  put(folder.path, { "closed/a": "a", "shut.txt": "s", "open.txt": "o" });
  chmodSync(join(folder.path, "closed"), 0);
  chmodSync(join(folder.path, "shut.txt"), 0);
  const { files, warnings } = await taken(folder.path);
  expect(files).toEqual(["open.txt"]);
  expect(warnings.toSorted()).toEqual([
    expect.stringContaining('"closed"'),
    expect.stringContaining('"shut.txt"'),
  ]);
  put(folder.path, { "secrets.json": "{}" });
  chmodSync(join(folder.path, "secrets.json"), 0);
  expect(await refusal(holdInstant(folder.path, process.pid, systemClock))).toMatchObject({
    code: "backup_unreadable",
  });
  chmodSync(join(folder.path, "closed"), 0o700);
});

const mounted = `files of a folder on another disk are staged there and swept there${smallDiskMissing === undefined ? "" : ` (${smallDiskMissing})`}`;
test.skipIf(smallDiskMissing !== undefined)(mounted, async () => {
  using folder = temporaryFolder();
  using disk = smallDisk(1024);
  put(disk.path, { "table/data": "vectors" });
  symlinkSync(disk.path, join(folder.path, "vectors"));
  const { held, files, text } = await taken(folder.path);
  expect(files).toEqual(["vectors/table/data"]);
  expect(held.staging_elsewhere).toEqual([`vectors/${held.staging}`]);
  expect(statSync(join(disk.path, "table/data")).nlink).toBe(2);
  expect(text("vectors/table/data")).toBe("vectors");
  // The next instant doesn't contain the staging folder of this one.
  expect((await taken(folder.path)).files).toEqual(["vectors/table/data"]);
  mkdirSync(join(disk.path, `.backup-${Bun.spawnSync(["true"]).pid}-${crypto.randomUUID()}`));
  const before = readdirSync(disk.path).length;
  await sweepStaging(folder.path);
  expect(readdirSync(disk.path)).toHaveLength(before - 1);
});

test("copies before an upgrade are left out beside Argosy's databases alone", () => {
  const paths = ["", "memory/", "memory/deep/", "cassettes/"].map(
    (at) => `${at}backups/chats-before-0002.db`,
  );
  expect(paths.map(isVolatile)).toEqual([true, true, true, false]);
});

test("a staging folder in a linked folder is not data, and a tenant's file of such a name is", () => {
  const name = `.backup-12-${crypto.randomUUID()}`;
  expect([`vectors/${name}/a`, `tenants/acme/${name}`].map(isVolatile)).toEqual([true, false]);
});

const given = `what root makes in a data folder belongs to the folder's owner${isRoot ? "" : " (needs root)"}`;
test.skipIf(!isRoot)(given, async () => {
  using folder = temporaryFolder();
  put(folder.path, { file: "f" });
  linkSync(join(folder.path, "file"), join(folder.path, "same"));
  chownSync(folder.path, 4321, 4321);
  giveToOwner(folder.path, join(folder.path, "file"));
  expect(statSync(join(folder.path, "same")).uid).toBe(4321);
  const { held } = await taken(folder.path);
  expect(statSync(join(folder.path, held.staging)).uid).toBe(4321);
});
