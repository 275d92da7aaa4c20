import { afterAll, beforeAll, expect, test } from "bun:test";
import { Value } from "@sinclair/typebox/value";
import { daemonClient } from "../../../../src/contracts/daemon/client.ts";
import { type ListedTrace, TraceList } from "../../../../src/contracts/daemon/runs/traces.ts";
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
    provider: "lab",
    model: "test-model",
    input_tokens: 20,
    output_tokens: 10,
    total_tokens: 30,
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

test.each([
  ["status=LOST", "status"],
  ["since=yesterday", "since"],
  ["until=", "until"],
  ["cursor=abc", "cursor"],
  ["cursor=WyJ4IiwieSJd", "cursor"],
  ["limit=0", "limit"],
  ["spans=no", "spans"],
  ["session_id=", "session_id"],
])("%s is refused", async (query, path) => {
  const { status, body } = await daemon.call("GET", `/v1/traces?${query}`);
  expect([status, body.error]).toEqual([400, "invalid_request"]);
  expect(body.problems[0].path).toBe(path);
});
