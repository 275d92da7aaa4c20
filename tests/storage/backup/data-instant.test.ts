import { Database } from "bun:sqlite";
import { afterEach, beforeEach, expect, test } from "bun:test";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../../../src/kit/clock.ts";
import { othersTurn } from "../../../src/kit/concurrency/others-turn.ts";
import { holdInstant, sweepStaging } from "../../../src/storage/backup/data-instant.ts";
import { copyHeldDatabase } from "../../../src/storage/sqlite/copy-held-database.ts";
import { drawnNumbers } from "../../support/drawn-numbers.ts";

let folder: string;
const open: Database[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "argosy-test-instant-"));
});
afterEach(() => {
  for (const database of open.splice(0)) database.close();
  rmSync(folder, { recursive: true, force: true });
});

const never = new AbortController().signal;

function ledger(name: string): Database {
  const database = new Database(join(folder, name));
  open.push(database);
  database.run("PRAGMA journal_mode = WAL");
  database.run("CREATE TABLE rows (n INTEGER PRIMARY KEY, padding BLOB)");
  return database;
}

const highest = (database: Database): number =>
  database.query<{ n: number | null }, []>("SELECT max(n) AS n FROM rows").get()?.n ?? 0;

/** Instants in a row; 1,000 in a campaign. */
const instants = Number(process.env.ARGOSY_TEST_INSTANTS ?? 40);

test("an instant has every commit before it in every database, and none after it", async () => {
  const first = ledger("first.db");
  const second = ledger("second.db");
  const draw = drawnNumbers("commits beside instants");
  let committed = 0;
  let writing = true;
  // Each step is committed to both databases before the next one begins, with checkpoints at any time.
  const writer = (async () => {
    while (writing) {
      committed++;
      first.run("INSERT INTO rows VALUES (?, randomblob(?))", [committed, Math.floor(draw() * 9000)]);
      second.run("INSERT INTO rows VALUES (?, randomblob(?))", [committed, Math.floor(draw() * 900)]);
      if (draw() < 0.1) first.query(`PRAGMA wal_checkpoint(${draw() < 0.5 ? "PASSIVE" : "TRUNCATE"})`).get();
      await othersTurn();
    }
  })();
  for (let at = 0; at < instants; at++) {
    const before = committed;
    const held = await holdInstant(folder, process.pid, systemClock);
    const after = committed;
    // Commits and checkpoints go on while the copies are made.
    for (const database of held.databases)
      await copyHeldDatabase(folder, database, join(folder, held.staging, database.path), never);
    held.release();
    const counts = held.databases.map(({ path }) => {
      using copy = new Database(join(folder, held.staging, path));
      return highest(copy);
    });
    expect(counts).toHaveLength(2);
    expect(counts[0]).toBe(counts[1] as number);
    expect(counts[0]).toBeGreaterThanOrEqual(before);
    expect(counts[0]).toBeLessThanOrEqual(after);
    rmSync(join(folder, held.staging), { recursive: true });
  }
  writing = false;
  await writer;
  expect(committed).toBeGreaterThan(instants);
});

test("a database without a write-ahead log is taken too", async () => {
  const plain = new Database(join(folder, "plain.sqlite"));
  open.push(plain);
  plain.run("CREATE TABLE rows (n INTEGER PRIMARY KEY)");
  plain.run("INSERT INTO rows VALUES (7)");
  const held = await holdInstant(folder, process.pid, systemClock);
  expect(held.databases).toEqual([{ path: "plain.sqlite", walBytes: 0 }]);
  held.release();
  plain.run("INSERT INTO rows VALUES (8)");
});

test("other files are taken as they were, with their modes, and process files are left out", async () => {
  mkdirSync(join(folder, "vectors/table/_versions"), { recursive: true });
  mkdirSync(join(folder, "native"));
  for (const name of ["lock", "pid", "control.sock", "native/addon", "vectors/table/data.lance"])
    writeFileSync(join(folder, name), name);
  writeFileSync(join(folder, "vectors/table/_versions/1.manifest"), "1");
  writeFileSync(join(folder, "secrets.json"), "{}", { mode: 0o600 });
  writeFileSync(join(folder, "log"), "one\n");
  const held = await holdInstant(folder, process.pid, systemClock);
  appendFileSync(join(folder, "log"), "two\n");
  rmSync(join(folder, "vectors"), { recursive: true });
  const paths = held.files.map(({ path }) => path);
  expect(paths.toSorted()).toEqual([
    "log",
    "secrets.json",
    "vectors/table/_versions/1.manifest",
    "vectors/table/data.lance",
  ]);
  expect(held.files.find(({ path }) => path === "log")?.sizeBytes).toBe(4);
  expect(held.files.find(({ path }) => path === "secrets.json")?.mode).toBe(0o600);
  // What a version names is linked after the version.
  expect(paths.indexOf("vectors/table/_versions/1.manifest")).toBeLessThan(
    paths.indexOf("vectors/table/data.lance"),
  );
  expect(readFileSync(join(folder, held.staging, "vectors/table/data.lance"), "utf8")).toBe(
    "vectors/table/data.lance",
  );
  held.release();
});

test("a hold that fails leaves no staging folder and no transaction", async () => {
  writeFileSync(join(folder, "broken.db"), `SQLite format 3\0${"x".repeat(4096)}`);
  const sound = ledger("sound.db");
  expect(holdInstant(folder, process.pid, systemClock)).rejects.toThrow();
  expect(readdirSync(folder).filter((name) => name.startsWith(".backup"))).toEqual([]);
  sound.run("INSERT INTO rows VALUES (1, '')");
  const { log, checkpointed } = sound
    .query<{ log: number; checkpointed: number }, []>("PRAGMA wal_checkpoint(TRUNCATE)")
    .get() ?? { log: -1, checkpointed: -1 };
  expect([log, checkpointed]).toEqual([0, 0]);
});

test("staging folders of ended processes are removed, those of others stay", async () => {
  const gone = Bun.spawnSync(["true"]).pid;
  mkdirSync(join(folder, `.backup-${gone}-a`));
  mkdirSync(join(folder, `.backup-${process.pid}-b`));
  await sweepStaging(folder);
  expect(existsSync(join(folder, `.backup-${gone}-a`))).toBeFalse();
  expect(existsSync(join(folder, `.backup-${process.pid}-b`))).toBeTrue();
});
