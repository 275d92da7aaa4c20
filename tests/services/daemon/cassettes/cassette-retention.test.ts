import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdirSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { silentLogger } from "../../../../src/kit/log.ts";
import { openCassetteFolder } from "../../../../src/services/daemon/cassettes/cassette-folder.ts";
import {
  type CassetteLimits,
  CassetteRetention,
} from "../../../../src/services/daemon/cassettes/cassette-retention.ts";
import { FakeClock } from "../../../support/fake-clock.ts";
import { temporaryFolder } from "../../../support/temp-folder.ts";

const dayMs = 24 * 60 * 60 * 1000;
const clock = new FakeClock();
let folder: ReturnType<typeof temporaryFolder>;

beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder[Symbol.dispose]());

const limits = (more: Partial<CassetteLimits> = {}): CassetteLimits => ({
  days: 7,
  bytesMax: 1000,
  filesMax: 10,
  ...more,
});

/** Writes a file of that many bytes that is that many days old. */
function write(name: string, bytes: number, days: number): void {
  const path = join(folder.path, name);
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, "x".repeat(bytes));
  const at = new Date(clock.now().getTime() - days * dayMs);
  utimesSync(path, at, at);
}

const left = () =>
  readdirSync(folder.path, { recursive: true, encoding: "utf8" })
    .filter((name) => name.includes("."))
    .sort();

const retention = (more?: Partial<CassetteLimits>) =>
  new CassetteRetention(folder.path, limits(more), clock, silentLogger);

test.each<[string, Partial<CassetteLimits>, [string, number, number][], string[]]>([
  [
    "what is too old",
    {},
    [
      ["a", 10, 6.9],
      ["b", 10, 7.1],
    ],
    ["a"],
  ],
  [
    "the oldest beyond the bytes",
    {},
    [
      ["a", 600, 3],
      ["b", 600, 2],
      ["c", 300, 1],
    ],
    ["b", "c"],
  ],
  [
    "the oldest beyond the number of files",
    { filesMax: 2 },
    [
      ["a", 1, 3],
      ["b", 1, 2],
      ["c", 1, 1],
    ],
    ["b", "c"],
  ],
  [
    "the oldest of all tenants alike",
    {},
    [
      ["a", 600, 1],
      ["@other/b", 600, 2],
    ],
    ["a"],
  ],
  ["nothing when all fits", {}, [["a", 1000, 0]], ["a"]],
])("removes %s", async (_, more, files, kept) => {
  for (const [name, bytes, days] of files) write(`${name}.cassette.json`, bytes, days);
  expect(await retention(more).prune()).toBe(files.length - kept.length);
  expect(left()).toEqual(kept.map((name) => `${name}.cassette.json`));
});

test("what a process left unfinished goes after a while, and nothing else in the folder does", async () => {
  write("old.cassette.json.tmp", 10, 1);
  write("new.cassette.json.tmp", 10, 0);
  write("notes.txt", 10, 99);
  await retention().prune();
  expect(left()).toEqual(["new.cassette.json.tmp", "notes.txt"]);
});

test("a missing folder is not an error", async () => {
  const none = new CassetteRetention(join(folder.path, "none"), limits(), clock, silentLogger);
  expect(await none.prune()).toBe(0);
});

test("the worker prunes once an hour and ends when it is stopped", async () => {
  write("a.cassette.json", 10, 8);
  const stopping = new AbortController();
  const running = retention().worker().run(stopping.signal);
  await clock.advance(59 * 60 * 1000);
  expect(left()).toEqual(["a.cassette.json"]);
  await clock.advance(60 * 1000);
  stopping.abort();
  await running;
  expect(left()).toEqual([]);
});

test("cassettes are kept within the limit as they come, and a tenant sees its own alone", async () => {
  const keeper = retention();
  const shelf = openCassetteFolder(folder.path, (bytes) => keeper.added(bytes));
  const keep = (tenant: string, id: string) =>
    shelf.keep(tenant, {
      summary: {
        id,
        agent: "a",
        recorded_at: "",
        session_id: "",
        query: "",
        status: "ok",
        model_calls: 0,
        tool_calls: 0,
        events: 0,
        redactions: 0,
      },
      text: "x".repeat(400),
    });
  for (const id of ["1", "2", "3", "4", "5"]) await keep("operator", id);
  expect(left().length).toBeLessThanOrEqual(2);
  await keep("../other", "9");
  expect(await shelf.find("operator", "9")).toBeUndefined();
  expect(await shelf.remove("operator", "9")).toBe(false);
  expect(await shelf.find("../other", "9")).toStartWith(folder.path);
  expect(await shelf.remove("../other", "9")).toBe(true);
});
