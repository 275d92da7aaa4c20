import { Database } from "bun:sqlite";
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { childCommand } from "../../../../../src/compose/child-command.ts";
import { createSqliteProcess } from "../../../../../src/engine/tools/sql/sqlite-process.ts";
import { systemClock } from "../../../../../src/kit/clock.ts";
import { FakeClock } from "../../../../support/fake-clock.ts";
import { openSqlTool, sqlChildren } from "../../../../support/sql-tool.ts";
import { temporaryFolder } from "../../../../support/temp-folder.ts";

const folder = temporaryFolder();
const path = join(folder.path, "m.db");
const tool = openSqlTool(folder.path);
const ask = (query: string, config: Record<string, unknown> = {}, signal = new AbortController().signal) =>
  tool.query({ connection_string: path, ...config }, { query }, { signal });
const endless = "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT count(*) FROM c";
const two = { success: true, data: { rows: [{ n: 2 }] } };
const count = "SELECT count(*) AS n FROM t";

const isLinux = process.platform === "linux";

beforeAll(() => {
  using database = new Database(path);
  database.run("CREATE TABLE t(a)");
  database.run("INSERT INTO t VALUES (1), (2)");
});
beforeEach(async () => {
  expect(await ask(count)).toMatchObject(two);
});
afterAll(() => {
  tool.runner.close();
  folder[Symbol.dispose]();
});

/** Children of earlier test files, which may still be ending. */
const earlier: readonly number[] = sqlChildren();

/** Returns the only child of this file. */
function onlyChild(): number {
  const [child = 0, ...others] = sqlChildren().filter((pid) => !earlier.includes(pid));
  expect(child).toBeGreaterThan(0);
  expect(others).toEqual([]);
  return child;
}

test("50 calls at once are answered by one process", async () => {
  const child = onlyChild();
  const calls = Array.from({ length: 50 }, () => ask(count));
  for (const result of await Promise.all(calls)) expect(result).toMatchObject(two);
  expect(onlyChild()).toBe(child);
});

test.skipIf(!isLinux)(
  "an endless statement ends after its limit, and those behind it are answered",
  async () => {
    const child = onlyChild();
    const stopped = ask(endless, { statement_timeout_seconds: 1 });
    await untilBusy(child);
    const behind = ask(count);
    expect(await stopped).toEqual({
      success: false,
      error: expect.stringContaining("longer than 1 seconds"),
    });
    expect(await behind).toMatchObject(two);
    expect(onlyChild()).not.toBe(child);
  },
);

test("a statement that eats memory is stopped before it has eaten much", async () => {
  const hungry =
    "WITH RECURSIVE c(i, x) AS (SELECT 1, '' UNION ALL SELECT i + 1, printf('%1000000d', i) FROM c) SELECT count(DISTINCT x) FROM c";
  const result = await ask(hungry, { statement_timeout_seconds: 60 });
  expect(result).toEqual({
    success: false,
    error: expect.stringMatching(/too much memory|out of memory|could not be finished/),
  });
  expect(await ask(count)).toMatchObject(two);
});

test.skipIf(!isLinux)("a child that is killed in the middle fails its call alone", async () => {
  const stopped = ask(endless);
  const child = onlyChild();
  await untilBusy(child);
  const behind = ask(count);
  process.kill(child, "SIGKILL");
  expect(await stopped).toEqual({ success: false, error: expect.stringContaining("could not be finished") });
  expect(await behind).toMatchObject(two);
});

test.skipIf(!isLinux)("a call whose run ends stops its statement at once", async () => {
  const run = new AbortController();
  const child = onlyChild();
  const stopped = ask(endless, { statement_timeout_seconds: 60 }, run.signal);
  await untilBusy(child);
  const behind = ask(count);
  run.abort(new Error("cancelled"));
  expect(await stopped).toMatchObject({ success: false });
  expect(await behind).toMatchObject(two);
  expect(onlyChild()).not.toBe(child);
});

test("a write that is cut off leaves the database whole", async () => {
  const config = { read_only: false, statement_timeout_seconds: 1 };
  const result = await ask(`INSERT INTO t ${endless.replace("count(*)", "n")}`, config);
  expect(result).toMatchObject({ success: false });
  expect(await ask(count)).toMatchObject(two);
  expect(await ask("PRAGMA table_info(t)")).toMatchObject({ success: true });
});

test("an idle child ends after a minute", async () => {
  tool.runner.close();
  const clock = new FakeClock();
  const sqlite = createSqliteProcess(childCommand("sql-child"), clock);
  const request = { path, query: count, parameters: [], readOnly: true, rowsMax: 1, charsMax: 100 };
  await sqlite.run(request, { timeLimitMs: 1000, signal: new AbortController().signal, owner: "" });
  const child = onlyChild();
  await clock.advance(59_999);
  expect(isRunning(child)).toBe(true);
  await clock.advance(1);
  await untilGone(child);
});

test.skipIf(!isLinux)(
  "a child in the middle of an endless statement does not outlive a killed parent",
  async () => {
    const parent = Bun.spawn([process.execPath, join(import.meta.dir, "endless-parent.ts"), path], {
      stdout: "pipe",
    });
    const reader = parent.stdout.getReader();
    const child = Number(new TextDecoder().decode((await reader.read()).value));
    expect(isRunning(child)).toBe(true);
    parent.kill("SIGKILL");
    await parent.exited;
    await untilGone(child);
  },
);

test.skipIf(!isLinux)("a child starts with a gibibyte of address space", async () => {
  const limits = await Bun.file(`/proc/${onlyChild()}/limits`).text();
  expect(limits).toMatch(/^Max address space +1073741824 /m);
  expect(await Bun.file(`/proc/${onlyChild()}/environ`).text()).not.toContain("HOME=");
});

function isRunning(pid: number): boolean {
  return existsSync(`/proc/${pid}`) || Bun.spawnSync(["kill", "-0", String(pid)]).success;
}

const untilGone = (pid: number) => until(() => !isRunning(pid));

/** Waits until the process has used some CPU time. */
async function untilBusy(pid: number): Promise<void> {
  const untilMs = cpuMsOf(pid) + 30;
  await until(() => cpuMsOf(pid) >= untilMs);
}

/** Reads the CPU time after the program's name in the statistics, which count hundredths of a second; returns ms. */
function cpuMsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
  return 10 * (Number(fields[11]) + Number(fields[12]));
}

/** Waits for a condition; the test's own time limit ends a vain wait. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) {
    await new Promise<void>((resolve) => systemClock.timer(5, resolve));
  }
}
