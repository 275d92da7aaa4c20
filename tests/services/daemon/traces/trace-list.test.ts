import { afterAll, beforeAll, expect, test } from "bun:test";
import { Value } from "@sinclair/typebox/value";
import { daemonClient } from "../../../../src/contracts/daemon/client.ts";
import {
  type ListedTrace,
  TraceList,
  type TraceListQuery,
} from "../../../../src/contracts/daemon/runs/traces.ts";
import { agentFile, startDaemon, type TestDaemon } from "../../../support/daemon.ts";

let daemon: TestDaemon<"lab" | "down">;
const startedAt: string[] = [];

beforeAll(async () => {
  daemon = await startDaemon({
    agents: {
      "clock.agent.yaml": agentFile("clock", { tools: [{ name: "datetime_now", type: "builtin" }] }),
      "lost.agent.yaml": agentFile("lost", {
        model: { primary: { provider: "down", model: "test-model" } },
      }),
    },
    models: {
      lab: ({ body }) =>
        body.messages.at(-1)?.role === "user"
          ? { toolCalls: [{ name: "datetime_now", arguments: {} }] }
          : { text: "It is noon." },
      down: [{ status: 400, body: "{}" }],
    },
  });
  for (const [agent, session] of [
    ["clock", "a"],
    ["lost", "a"],
    ["clock", "b"],
    ["clock", "a"],
    ["lost", "b"],
  ]) {
    startedAt.push(daemon.clock.now().toISOString());
    await daemon.run(agent ?? "", { query: "When?", session_id: session });
    await daemon.clock.advance(1000);
  }
});

afterAll(() => daemon[Symbol.asyncDispose]());

const client = () => daemonClient({ fetch, baseUrl: daemon.url });
const starts = (traces: readonly ListedTrace[]) => traces.map((trace) => startedAt.indexOf(trace.start_time));

test("a trace in the list says what its spans come to", async () => {
  const { body } = await daemon.call("GET", "/v1/traces");
  expect([...Value.Errors(TraceList, body)]).toEqual([]);
  expect(body).not.toHaveProperty("next_cursor");
  expect(starts(body.traces)).toEqual([4, 3, 2, 1, 0]);
  expect(body.traces[1].spans.length).toBeGreaterThan(4);
  expect(body.traces[1].summary).toEqual({
    source: "production",
    provider: "lab",
    model: "test-model",
    input_tokens: 20,
    output_tokens: 10,
    total_tokens: 30,
    // A model on this machine is known to cost nothing.
    cost_usd: 0,
    unpriced_calls: 0,
    model_calls: 2,
    tool_calls: 1,
  });
  expect(body.traces[0].summary).toMatchObject({
    model_calls: 1,
    total_tokens: 0,
    error: expect.any(String),
  });
});

test("filters are joined by and", async () => {
  const list = client().listTraces;
  expect(starts((await list({ status: "ERROR" })).traces)).toEqual([4, 1]);
  expect(starts((await list({ status: "OK", session_id: "a" })).traces)).toEqual([3, 0]);
  expect(starts((await list({ agent: "lost", session_id: "b" })).traces)).toEqual([4]);
  const [, since = "", , until = ""] = startedAt;
  expect(starts((await list({ since, until })).traces)).toEqual([2, 1]);
});

test("pages lead through all of it, newest first, and may leave the spans out", async () => {
  const seen: number[] = [];
  let cursor: string | undefined;
  do {
    const query = cursor === undefined ? {} : { cursor };
    const page = await client().listTraces({ limit: 2, spans: false, ...query });
    expect(page.traces.flatMap(({ spans }) => spans)).toEqual([]);
    seen.push(...starts(page.traces));
    cursor = page.next_cursor;
  } while (cursor !== undefined);
  expect(seen).toEqual([4, 3, 2, 1, 0]);
});

test("a search, a sort and a page work together, on buffered and written runs alike", async () => {
  const { list } = { list: client().listTraces };
  await daemon.run("clock", { query: "Is 100% of it_here?", session_id: "c", trace_content: true });
  startedAt.push(daemon.clock.now().toISOString());
  const found = async (query: TraceListQuery) =>
    (await list(query)).traces.map(({ summary }) => summary.question);
  for (const search of ["100%", "IT_HERE", "it is noon"])
    expect([search, await found({ search })]).toEqual([search, ["Is 100% of it_here?"]]);
  expect(await found({ search: "itxhere" })).toEqual([]);
  expect(await found({ search: "100%", agent: "lost" })).toEqual([]);
  expect(await found({ search: "100%", model: "test-model", session_id: "c", sort: "cost" })).toHaveLength(1);
  expect(await found({ model: "other" })).toEqual([]);

  const slowest: number[] = [];
  let cursor: string | undefined;
  do {
    const page = await list({ sort: "latency", limit: 2, ...(cursor === undefined ? {} : { cursor }) });
    slowest.push(...page.traces.map(({ duration_ms: ms }) => ms));
    cursor = page.next_cursor;
  } while (cursor !== undefined);
  expect(slowest).toHaveLength(6);
  expect(slowest).toEqual(slowest.toSorted((a, b) => b - a));
  const oldest = await list({ sort: "time", order: "asc", limit: 1 });
  expect(oldest.traces[0]?.start_time).toBe(startedAt[0]);
  // A cursor belongs to its order.
  const refused = await daemon.call("GET", `/v1/traces?cursor=${oldest.next_cursor}`);
  expect([refused.status, refused.body.problems[0].path]).toEqual([400, "cursor"]);
});

test("traces of a tenant are 403 for everyone but the owner of the machine", async () => {
  const { status, body } = await daemon.call("GET", "/v1/traces?tenant=acme");
  expect([status, body.error]).toEqual([403, "owner_only"]);
});

test.each([
  ["search=", "search"],
  ["search=%20%0A", "search"],
  [`search=${"x".repeat(201)}`, "search"],
  ["sort=name", "sort"],
  ["order=up", "order"],
  ["status=LOST", "status"],
  ["since=yesterday", "since"],
  ["until=", "until"],
  ["cursor=abc", "cursor"],
  ["cursor=WyJ4IiwieSJd", "cursor"],
  ["limit=0", "limit"],
  ["spans=no", "spans"],
  ["session_id=", "session_id"],
])("%s is 400", async (query, path) => {
  const { status, body } = await daemon.call("GET", `/v1/traces?${query}`);
  expect([status, body.error]).toEqual([400, "invalid_request"]);
  expect(body.problems[0].path).toBe(path);
});
