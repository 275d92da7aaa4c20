import { afterAll, beforeAll, expect, test } from "bun:test";
import { Value } from "@sinclair/typebox/value";
import { RunStats } from "../../../../src/contracts/daemon/runs/run-stats.ts";
import { agentFile, startDaemon, type TestDaemon } from "../../../support/daemon.ts";

let daemon: TestDaemon<"lab" | "down">;

beforeAll(async () => {
  daemon = await startDaemon({
    startAt: "2026-01-10T10:30:00Z",
    agents: {
      "clock.agent.yaml": agentFile("clock"),
      "lost.agent.yaml": agentFile("lost", { model: { primary: { provider: "down", model: "gone" } } }),
    },
    models: { lab: () => ({ text: "It is noon." }), down: [{ status: 400, body: "{}" }] },
  });
  for (const agent of ["clock", "lost", "clock"]) {
    await daemon.run(agent, { query: "When?" });
    await daemon.clock.advance(60 * 60 * 1000);
  }
});
afterAll(() => daemon[Symbol.asyncDispose]());

const stats = async (query: string) => (await daemon.call("GET", `/v1/stats/runs?${query}`)).body;

test("runs are counted as soon as they end, by bucket and agent, and lead to the same traces", async () => {
  const body = await stats("since=2026-01-10&until=2026-01-10T14:00:00Z&bucket=1h&group_by=agent");
  expect([...Value.Errors(RunStats, body)]).toEqual([]);
  expect(body.total).toMatchObject({ runs: 3, errors: 1, input_tokens: 20, output_tokens: 10 });
  expect(body.buckets).toHaveLength(14);
  const starts = body.buckets.filter(({ runs }: { runs: number }) => runs > 0);
  expect(starts.map(({ start }: { start: string }) => start)).toEqual([
    "2026-01-10T10:00:00.000Z",
    "2026-01-10T11:00:00.000Z",
    "2026-01-10T12:00:00.000Z",
  ]);
  expect(body.groups.map(({ key, total }: { key: string; total: object }) => [key, total])).toMatchObject([
    ["clock", { runs: 2, errors: 0 }],
    ["lost", { runs: 1, errors: 1 }],
  ]);
  const behind = await daemon.call(
    "GET",
    "/v1/traces?agent=lost&since=2026-01-10T11:00:00Z&until=2026-01-10T12:00:00Z",
  );
  expect(behind.body.traces).toHaveLength(1);
});

test.each([
  ["", "30m", 48],
  ["since=2026-01-10T12:30:00Z", "1m", 60],
  ["since=2026-01-06T13:30:00Z", "6h", 28],
  ["since=2025-12-14T13:30:00Z", "1d", 30],
  ["since=2020-01-01&until=2020-01-01T00:00:00.001Z", "1m", 1],
])("the range %p has buckets of %s", async (query, bucket, count) => {
  const body = await stats(
    query === ""
      ? ""
      : query.includes("until")
        ? query
        : `${query}&until=2026-01-${query.includes("12:30") ? "10" : "13"}T13:30:00Z`,
  );
  expect([body.bucket, body.buckets.length]).toEqual([bucket, count]);
});

test.each([
  ["since=yesterday", "since"],
  ["until=2026-13-01", "until"],
  ["since=2026-01-02&until=2026-01-02", "since"],
  ["since=2026-01-03&until=2026-01-02", "since"],
  ["since=2030-01-01", "since"],
  ["since=2026-01-01&until=2026-01-02&bucket=1m", "bucket"],
  ["since=0001-01-01&until=9999-01-01", "bucket"],
  ["bucket=2h", "bucket"],
  ["time_zone=", "time_zone"],
  ["time_zone=Mars/Olympus", "time_zone"],
  ["time_zone=%2B02:00", "time_zone"],
  ["time_zone=Europe/Madrid&since=1969-12-31&until=1970-01-02", "since"],
  ["group_by=session", "group_by"],
  ["agent=", "agent"],
  [`agent=${"x".repeat(64)}`, "agent"],
])("%s is 400", async (query, path) => {
  const { status, body } = await daemon.call("GET", `/v1/stats/runs?${query}`);
  expect([status, body.error]).toEqual([400, "invalid_request"]);
  expect(body.problems[0].path).toBe(path);
});

test("a comparison of tenants is 403 for everyone but the owner of the machine", async () => {
  for (const query of ["group_by=tenant", "tenant=acme", "group_by=tenant&tenant=acme"]) {
    const { status, body } = await daemon.call("GET", `/v1/stats/runs?${query}`);
    expect([query, status, body.error]).toEqual([query, 403, "owner_only"]);
    expect((await daemon.asOwner("GET", `/v1/stats/runs?${query}`)).status).toBe(200);
  }
  const { body } = await daemon.asOwner("GET", "/v1/stats/runs?group_by=tenant");
  expect(body.groups.map(({ key }: { key: string }) => key)).toEqual(["operator"]);
});

test("a run whose trace is not kept is counted, and has no trace", async () => {
  await using own = await startDaemon({
    agents: {
      "shy.agent.yaml": agentFile("shy", { observability: { sample_rate: 0 } }),
      "off.agent.yaml": agentFile("off", { observability: { tracing: false } }),
    },
  });
  for (const agent of ["shy", "off", "shy"]) expect((await own.run(agent, { query: "?" })).status).toBe(200);
  await own.clock.advance(1000);
  const { body } = await own.call("GET", "/v1/stats/runs?group_by=agent");
  expect(
    body.groups.map(({ key, total }: { key: string; total: { runs: number } }) => [key, total.runs]),
  ).toEqual([
    ["shy", 2],
    ["off", 1],
  ]);
  expect((await own.call("GET", "/v1/traces")).body.traces).toEqual([]);
});
