import { expect, test } from "bun:test";
import type { Parts, ReachedDaemon } from "../../../src/command/parts.ts";
import { noServer } from "../../../src/command/reach.ts";
import type { LogLine } from "../../../src/contracts/daemon/operations.ts";
import { configWith, say } from "../recording-shell.ts";

const line = (number: number, event: string): LogLine => ({
  number,
  level: "info",
  time: "2026-01-02T03:04:05.000Z",
  event,
  fields: { tenant: "ada\u001b[31m" },
});

/** Parts whose daemon is a server, or this process, with these calls. */
const reaching = (
  client: Partial<ReachedDaemon["client"]>,
  via: "server" | "store" = "server",
): Partial<Parts> => ({
  loadConfig: async () => configWith({}),
  async reach(_config, _log, { serverOnly = false } = {}) {
    if (serverOnly && via === "store") throw noServer();
    return { client: client as ReachedDaemon["client"], via, close: async () => {} };
  },
});

test("lines are printed with their fields, and the options become the query", async () => {
  const asked: unknown[] = [];
  const parts = reaching({
    readLog: async (query) => {
      asked.push(query);
      return { lines: [line(1, "one"), line(2, "two")], oldest: 1, last: 2 };
    },
  });
  const said = await say(["logs", "--level", "warning", "--search", "abc", "--limit", "2"], { parts });
  expect(said.code).toBe(0);
  expect(said.stdout.split("\n").map((shown) => shown.slice(0, 33))).toEqual([
    "2026-01-02T03:04:05.000Z info one",
    "2026-01-02T03:04:05.000Z info two",
    "",
  ]);
  expect(said.stdout).not.toContain("\u001b[31m");
  expect(asked).toEqual([{ limit: 2, level: "warning", text: "abc" }]);
});

test("a followed log repeats no line after its stream ended, and begins anew with another server", async () => {
  const pages = [[line(1, "one"), line(2, "two")], [line(2, "two"), line(3, "three")], [line(1, "again")]];
  const parts = reaching({
    async *followLog() {
      const lines = pages.shift();
      if (lines === undefined) throw new Error("gone");
      yield { lines, oldest: 1, last: lines.at(-1)?.number ?? 0 };
    },
  });
  const said = await say(["logs", "--follow", "--json"], { parts });
  const printed = said.stdout.trim().split("\n");
  expect(printed.slice(0, 4).map((text) => JSON.parse(text).event)).toEqual(["one", "two", "three", "again"]);
  expect(said.code).toBe(1);
});

test("workers and leases are listed", async () => {
  const parts = reaching({
    workers: async () => ({
      at: "2026-01-02T03:04:05.000Z",
      node: null,
      shared: false,
      workers: [{ name: "trace-pruner", service: "daemon", status: "running", failures: 0 }],
      leases: [],
    }),
  });
  expect((await say(["workers"], { parts })).stdout).toContain("trace-pruner  daemon   running  0");
});

test("they need a server, and refuse wrong options", async () => {
  for (const command of ["logs", "workers"]) {
    const { code, stdout } = await say([command, "--json"], { parts: reaching({}, "store") });
    expect([code, JSON.parse(stdout).error]).toEqual([1, "no_server"]);
  }
  for (const args of [
    ["--limit", "0"],
    ["--limit", "5001"],
    ["--search", ""],
    ["--level", "loud"],
  ])
    expect((await say(["logs", ...args], { parts: reaching({}) })).code).toBe(2);
});

test("sizes are printed as bounds where they are bounds", async () => {
  const parts = reaching(
    {
      storage: async () => ({
        at: "2026-01-02T03:04:05.000Z",
        data_folder: "/data",
        engine: "sqlite",
        disk: { free_bytes: 2 ** 30, total_bytes: 2 ** 31 },
        databases: [{ service: "daemon", size_bytes: 2 ** 20, log_bytes: 0, reusable_bytes: 2 ** 19 }],
        folders: [{ name: "vectors", size_bytes: 2 ** 21, files: 50_000, complete: false }],
        tables: [{ service: "daemon", table: "traces", rows: 12, size_bytes: null }],
        retention: [
          {
            service: "daemon",
            what: "traces",
            days: 7,
            bytes_max: 2 ** 28,
            setting: null,
            due: { rows: 3, size_bytes: 2 ** 20, complete: true },
          },
        ],
        days: [
          { day: "2026-01-01", size_bytes: 2 ** 20 },
          { day: "2026-01-02", size_bytes: 2 ** 22 },
        ],
      }),
    },
    "store",
  );
  const { code, stdout } = await say(["storage"], { parts });
  expect(code).toBe(0);
  for (const text of [
    "1.0 GiB of 2.0 GiB",
    "3.0 MiB since 2026-01-01",
    "log 0 B, reusable 512.0 KiB",
    "over 2.0 MiB",
    "50000+ files",
    "≤ 12",
    "3 (1.0 MiB)",
  ])
    expect(stdout).toContain(text);
});
