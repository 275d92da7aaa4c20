import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Value } from "@sinclair/typebox/value";
import { BackupList } from "../../../../src/contracts/daemon/backups.ts";
import { type LogLine, LogPage, WorkerReport } from "../../../../src/contracts/daemon/operations.ts";
import { StorageReport } from "../../../../src/contracts/daemon/storage-report.ts";
import { ownerHeaders, startDaemon, type TestDaemon } from "../../../support/daemon.ts";

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon({ ownersToken: true });
});
afterAll(() => daemon[Symbol.asyncDispose]());

const eventsOf = ({ lines }: LogPage) => lines.map(({ event }) => event);

describe("workers", () => {
  test("are those of the process with their last rounds, and the leases", async () => {
    await daemon.clock.advance(2_000);
    const { status, body } = await daemon.call("GET", "/v1/system/workers");
    expect(status).toBe(200);
    expect(Value.Check(WorkerReport, body)).toBe(true);
    const { workers, node, shared } = body as WorkerReport;
    expect([node, shared]).toEqual([null, false]);
    expect(workers.find(({ name }) => name === "agent-watcher")).toMatchObject({
      service: "daemon",
      status: "running",
      failures: 0,
      last_round_at: expect.any(String),
    });
    expect(workers.some(({ service }) => service === "process")).toBe(true);
  });
});

describe("the stored data", () => {
  test("is measured by database, folder and table, with what retention deletes", async () => {
    const { status, body } = await daemon.call("GET", "/v1/system/storage");
    expect(status).toBe(200);
    expect(Value.Check(StorageReport, body)).toBe(true);
    const report = body as StorageReport;
    expect(report.engine).toBe("sqlite");
    expect(report.databases).toEqual([
      {
        service: "daemon",
        size_bytes: expect.any(Number),
        log_bytes: expect.any(Number),
        reusable_bytes: expect.any(Number),
      },
    ]);
    expect(report.disk?.free_bytes).toBeLessThanOrEqual(report.disk?.total_bytes ?? 0);
    expect(report.tables[0]).toMatchObject({ service: "daemon", table: "_migrations", size_bytes: null });
    expect(report.tables.filter(({ rows }) => rows === 0)).toEqual([]);
    expect(report.retention.map(({ what, days }) => [what, days])).toEqual([
      ["traces", 7],
      ["recordings", 7],
    ]);
    expect(report.retention[0]?.due).toEqual({ rows: 0, size_bytes: 0, complete: true });
  });
});

describe("backups", () => {
  test("have no entry before the first; a place that is not absolute is 400", async () => {
    const { status, body } = await daemon.call("GET", "/v1/system/backups");
    expect([status, Value.Check(BackupList, body)]).toEqual([200, true]);
    expect(body).toMatchObject({ backups: [], job: null, missing: [] });
    for (const place of [
      "monday.tar.zst",
      "-",
      "",
      "/tmp/",
      "s3://bucket",
      "s3://bucket/key/",
      "/a\u0000b",
    ]) {
      const refused = await daemon.call("POST", "/v1/system/backups", { body: { place } });
      expect([place, refused.status]).toEqual([place, 400]);
    }
    expect((await daemon.call("GET", "/v1/system/backups")).body.job).toBeNull();
  });
});

describe("the log", () => {
  test("has the lines of the process, by level, text and number", async () => {
    const all = (await daemon.call("GET", "/v1/system/logs")).body as LogPage;
    expect(Value.Check(LogPage, all)).toBe(true);
    expect(eventsOf(all)).toContain("service.listening");
    const found = (await daemon.call("GET", "/v1/system/logs?text=SERVICE.LISTENING&limit=1"))
      .body as LogPage;
    expect(eventsOf(found)).toEqual(["service.listening"]);
    expect(found.lines[0]?.fields).toMatchObject({ service: "daemon" });
    const errors = (await daemon.call("GET", "/v1/system/logs?level=error")).body as LogPage;
    expect(errors.lines.filter(({ level }) => level !== "error")).toEqual([]);
    const newest = (await daemon.call("GET", "/v1/system/logs?limit=1")).body as LogPage;
    expect(newest.lines.map(({ number }: LogLine) => number)).toEqual([newest.last]);
  });

  test("an unknown level and an empty text are 400", async () => {
    for (const query of ["level=loud", "text=", "limit=some"]) {
      expect((await daemon.call("GET", `/v1/system/logs?${query}`)).status).toBe(400);
    }
  });

  test("streams the newest lines, then what follows", async () => {
    const over = new AbortController();
    const response = await fetch(`${daemon.url}/v1/system/logs/events?limit=1`, {
      headers: ownerHeaders,
      signal: over.signal,
    });
    expect(response.headers.get("content-type")).toContain("text/event-stream");
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    const first = new TextDecoder().decode((await reader.read()).value);
    expect((JSON.parse(first.slice("data: ".length)) as LogPage).lines).toHaveLength(1);
    await daemon.call("GET", "/v1/nothing-here");
    await daemon.call("DELETE", "/v1/agents/helper");
    const second = new TextDecoder().decode((await reader.read()).value);
    expect((JSON.parse(second.slice("data: ".length)) as LogPage).lines.length).toBeGreaterThan(0);
    over.abort();
  });
});

test("logs and backups are 403 for everyone but the owner of the machine", async () => {
  await using other = await startDaemon();
  for (const path of ["workers", "storage", "backups", "logs", "logs/events"]) {
    const { status, body } = await other.call("GET", `/v1/system/${path}`);
    expect([status, body.error]).toEqual([403, "owner_only"]);
  }
  const started = await other.call("POST", "/v1/system/backups", { body: {} });
  expect([started.status, started.body.error]).toEqual([403, "owner_only"]);
});
