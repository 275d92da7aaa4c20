import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Value } from "@sinclair/typebox/value";
import { Cassette } from "../../../../src/contracts/daemon/cassettes/cassette-file.ts";
import { CassetteList, ReplayAnswer } from "../../../../src/contracts/daemon/cassettes/cassettes.ts";
import { RunResult, StreamFrame } from "../../../../src/contracts/daemon/runs/run.ts";
import { readCassette } from "../../../../src/engine/cassettes/read-cassette.ts";
import { openSocket } from "../../../support/agent-stream.ts";
import { replayed } from "../../../support/cassettes.ts";
import { type Answer, agentFile, startDaemon, type TestDaemon } from "../../../support/daemon.ts";

const tools = [{ name: "datetime_now", type: "builtin" }];
const apiKey = "lab-key-0123456789";
let daemon: TestDaemon<"lab" | "down" | "other">;

beforeAll(async () => {
  daemon = await startDaemon({
    agents: {
      "clock.agent.yaml": agentFile("clock", { tools }),
      "failing.agent.yaml": agentFile("failing", {
        model: { primary: { provider: "down", model: "test-model" } },
      }),
    },
    models: {
      lab: (request) =>
        request.body.messages.at(-1)?.role === "user"
          ? { toolCalls: [{ name: "datetime_now", arguments: { timezone: "Asia/Tokyo" } }] }
          : { text: ["It is ", "noon."] },
      down: [{ status: 400, body: '{"error": {"message": "no"}}' }],
      other: [{ text: "Ask somebody else." }],
    },
    configure: (config) => {
      config.knownSecrets.add(apiKey);
      return config;
    },
  });
});

afterAll(() => daemon[Symbol.asyncDispose]());

const recordRun = async (query = "What time is it?", agent = "clock"): Promise<Answer> =>
  daemon.run(agent, { query, record: true });
const folder = () => join(daemon.config.dataFolder, "cassettes");
const fileOf = (id: string) => join(folder(), `${id}.cassette.json`);

test("a run that is recorded leaves a file for its owner alone, named after its trace, that replays offline", async () => {
  const { body } = await recordRun(`What time is it, ${apiKey}?`);
  expect(Value.Check(RunResult, body)).toBe(true);
  expect(body.cassette).toBe(body.trace_id);
  expect(statSync(fileOf(body.cassette)).mode & 0o777).toBe(0o600);
  expect(statSync(folder()).mode & 0o777).toBe(0o700);
  const text = readFileSync(fileOf(body.cassette), "utf8");
  expect(text).not.toContain(apiKey);
  const fetched = await daemon.call("GET", `/v1/cassettes/${body.cassette}`);
  expect(fetched).toMatchObject({ status: 200, text });
  expect(fetched.headers.get("content-type")).toStartWith("application/json");
  expect(Value.Check(Cassette, fetched.body)).toBe(true);
  expect(await replayed(readCassette(text, "it"))).toMatchObject({ identical: true, warnings: [] });
});

test("a recorded run answers with its trace as well", async () => {
  const body = { query: "What time is it?", record: true };
  const answer = await daemon.call("POST", "/v1/agents/clock/run?trace=true", { body });
  expect(answer.body.trace.trace_id).toBe(answer.body.cassette);
});

test("a run that is not recorded leaves none, and says nothing of it", async () => {
  const before = readdirSync(folder()).length;
  for (const record of [undefined, false]) {
    const { body } = await daemon.run("clock", { query: "hi", ...(record === undefined ? {} : { record }) });
    expect(body).not.toHaveProperty("cassette");
    expect(body).not.toHaveProperty("cassette_error");
  }
  expect(readdirSync(folder())).toHaveLength(before);
});

test("the event stream and the WebSocket record, too, and say so at their end", async () => {
  const streamed = await daemon.run(
    "clock",
    { query: "hi", record: true },
    { headers: { accept: "text/event-stream" } },
  );
  const frames = streamed.text
    .split("\n")
    .filter((line) => line.startsWith("data: "))
    .map((line) => JSON.parse(line.slice("data: ".length)));
  expect(frames.at(-1)).toMatchObject({ type: "done", cassette: frames.at(-1).trace_id });
  expect(frames.every((frame) => Value.Check(StreamFrame, frame))).toBe(true);

  const socket = await openSocket(daemon.url, "clock");
  socket.send({ query: "hi", record: true });
  const done = (await socket.answer()).at(-1);
  socket.leave();
  if (done?.type !== "done") throw new Error("the run did not end well");
  for (const id of [frames.at(-1).cassette, done.cassette]) {
    const report = await daemon.call("POST", `/v1/cassettes/${id}/replay`, { body: { strict: true } });
    expect(report.body).toMatchObject({ mode: "replay", identical: true });
  }
});

test("a run that fails with 502 is recorded, and its error names the cassette", async () => {
  const { status, body } = await recordRun("hi", "failing");
  expect({ status, error: body.error }).toEqual({ status: 502, error: "provider_failed" });
  const listed = await daemon.call("GET", "/v1/cassettes?agent=failing");
  expect(listed.body.cassettes).toMatchObject([
    { id: body.cassette, agent: "failing", status: "failed", error: "provider_failed", model_calls: 1 },
  ]);
  const report = await daemon.call("POST", `/v1/cassettes/${body.cassette}/replay`, { body: {} });
  expect(report.body).toMatchObject({ identical: true });
});

test("the list shows the newest first, of one agent where one is named, and as many as are wanted", async () => {
  const first = (await recordRun("one")).body.cassette;
  const second = (await recordRun("two")).body.cassette;
  const { body } = await daemon.call("GET", "/v1/cassettes?limit=2");
  expect(Value.Check(CassetteList, body)).toBe(true);
  expect(body.cassettes).toMatchObject([
    { id: second, query: "two", model_calls: 2, tool_calls: 1, bytes: statSync(fileOf(second)).size },
    { id: first, query: "one" },
  ]);
  expect((await daemon.call("GET", "/v1/cassettes?agent=nobody")).body).toEqual({ cassettes: [] });
});

describe("a kept cassette", () => {
  test("forks with a model of this installation, and its own recording can be kept", async () => {
    const { cassette } = (await recordRun()).body;
    const { body, status } = await daemon.call("POST", `/v1/cassettes/${cassette}/replay`, {
      body: { from: 1, model: "other/test-model", record: true },
    });
    expect(status).toBe(200);
    expect(Value.Check(ReplayAnswer, body)).toBe(true);
    expect(body).toMatchObject({
      mode: "fork",
      played: { model_calls: 1, tool_calls: 1 },
      live: { model_calls: 1, tool_calls: 0, tools_refused: 0 },
      recorded: { result: { response: "It is noon." } },
      outcome: { result: { response: "Ask somebody else.", provider: "other" } },
    });
    expect(body.recording).not.toBe(cassette);
    const again = await daemon.call("POST", `/v1/cassettes/${body.recording}/replay`, {
      body: { strict: true },
    });
    expect(again.body).toMatchObject({ identical: true });
  });

  test("continues with the loaded agent's own models where no other is named", async () => {
    const { cassette } = (await recordRun()).body;
    const { body } = await daemon.asOwner("POST", `/v1/cassettes/${cassette}/replay`, { body: { from: 0 } });
    expect(body).toMatchObject({
      mode: "fork",
      live: { model_calls: 2, tools_refused: 0 },
      outcome: { result: { response: "It is noon.", provider: "lab" } },
    });
  });

  test("calls tools only if the request says so", async () => {
    const { cassette } = (await recordRun()).body;
    const kept = readCassette(readFileSync(fileOf(cassette), "utf8"), "it");
    const without = { ...kept, entries: kept.entries.filter(({ kind }) => kind !== "tool") };
    const fork = (live_tools: boolean) =>
      daemon.asOwner("POST", "/v1/cassettes/replay", {
        body: { cassette: without, from: 1, model: "other/test-model", live_tools },
      });
    expect((await fork(false)).body).toMatchObject({ live: { tool_calls: 0, tools_refused: 1 } });
    expect((await fork(true)).body).toMatchObject({ live: { tool_calls: 1, tools_refused: 0 } });
  });

  test("counts what a fork spends", async () => {
    const { cassette } = (await recordRun()).body;
    const spent = async () => (await daemon.call("GET", "/v1/costs/summary?source=all")).body.num_calls;
    const before = await spent();
    await daemon.asOwner("POST", `/v1/cassettes/${cassette}/replay`, { body: {} });
    expect(await spent()).toBe(before);
    await daemon.asOwner("POST", `/v1/cassettes/${cassette}/replay`, { body: { from: 99 } });
    const played = await spent();
    await daemon.asOwner("POST", `/v1/cassettes/${cassette}/replay`, {
      body: { from: 1, model: "other/test-model" },
    });
    expect(await spent()).toBeGreaterThan(played);
  });

  test("is removed once; then it is 404", async () => {
    const { cassette } = (await recordRun()).body;
    expect((await daemon.call("DELETE", `/v1/cassettes/${cassette}`)).body).toEqual({
      status: "deleted",
      id: cassette,
    });
    for (const [method, path] of [
      ["GET", ""],
      ["DELETE", ""],
      ["POST", "/replay"],
    ] as const) {
      const gone = await daemon.call(method, `/v1/cassettes/${cassette}${path}`, {
        ...(method === "POST" ? { body: {} } : {}),
      });
      expect(gone).toMatchObject({ status: 404, body: { error: "cassette_not_found" } });
    }
  });

  test("that was damaged on the disk is 422, and the list leaves it out", async () => {
    const { cassette } = (await recordRun()).body;
    writeFileSync(fileOf(cassette), "{");
    const report = await daemon.call("POST", `/v1/cassettes/${cassette}/replay`, { body: {} });
    expect(report).toMatchObject({ status: 422, body: { error: "invalid_cassette" } });
    const { body } = await daemon.call("GET", "/v1/cassettes?limit=100");
    expect(body.cassettes.map(({ id }: { id: string }) => id)).not.toContain(cassette);
    rmSync(fileOf(cassette));
  });
});

test.each<[string, unknown, number, string]>([
  ["nothing at all", undefined, 400, "invalid_request"],
  ["an unknown key", { fork: true }, 400, "invalid_request"],
  ["a number of calls that is none", { from: -1 }, 400, "invalid_request"],
  ["a model without a provider", { model: "gpt" }, 400, "invalid_request"],
  ["a provider that is not configured", { model: "nowhere/m" }, 404, "model_not_found"],
  ["live tools for a replay", { live_tools: true }, 400, "invalid_request"],
  ["a recording of a replay", { record: true }, 400, "invalid_request"],
])("a replay refuses %s", async (_, body, status, error) => {
  const { cassette } = (await recordRun()).body;
  const refused = await daemon.call("POST", `/v1/cassettes/${cassette}/replay`, { body });
  expect(refused).toMatchObject({ status, body: { error } });
});

test.each([
  ["no cassette", { cassette: { a: 1 } }],
  ["nothing", {}],
])("a cassette in the request with an error is 400: %s", async (_, body) => {
  const refused = await daemon.call("POST", "/v1/cassettes/replay", { body });
  expect(refused.status).toBe(400);
});

test.each(["..%2f..%2fsecrets", "..", "%2e%2e", "a/b", "x".repeat(300), "pid", "%00"])(
  "a path out of the folder is 400 or 404: %s",
  async (id) => {
    const { status } = await daemon.call("GET", `/v1/cassettes/${id}`);
    expect([400, 404]).toContain(status);
  },
);

test("a folder that can't be written costs the recording, never the run", async () => {
  await using unwritable = await startDaemon({ agents: { "helper.agent.yaml": agentFile("helper") } });
  const path = join(unwritable.config.dataFolder, "cassettes");
  writeFileSync(path, "a file in its place");
  const { status, body } = await unwritable.run("helper", { query: "hi", record: true });
  expect({ status, body }).toMatchObject({
    status: 200,
    body: {
      response: "Hello there.",
      cassette_error: "The recording was not stored: the data folder can't be written.",
    },
  });
  expect(existsSync(path)).toBe(true);
  expect(unwritable.logLines().join("\n")).toContain('"event":"cassette.lost"');
});
