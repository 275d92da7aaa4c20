import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Value } from "@sinclair/typebox/value";
import { RunResult, StreamFrame } from "../../../../src/contracts/daemon/runs/run.ts";
import { ToolExecuted } from "../../../../src/contracts/daemon/tools.ts";
import { openEvents, openSocket } from "../../../support/agent-stream.ts";
import { agentFile, startDaemon, type TestDaemon } from "../../../support/daemon.ts";
import type { ModelStep, RecordedRequest } from "../../../support/model-server.ts";

let daemon: TestDaemon;
let script: (request: RecordedRequest) => ModelStep = () => ({ text: "Yes." });

const notes = { name: "cache_store", type: "builtin", mode: "propose" };
const agentTool = (name: string, config: Record<string, unknown>, more: Record<string, unknown> = {}) => ({
  name,
  type: "agent",
  config,
  ...more,
});

beforeAll(async () => {
  daemon = await startDaemon({
    models: { lab: (request) => script(request) },
    agents: {
      "clerk.agent.yaml": agentFile("clerk", { tools: [notes] }),
      "helper.agent.yaml": agentFile("helper", { prompts: { system: "For {{ city }}." } }),
      "desk.agent.yaml": agentFile("desk", {
        tools: [
          agentTool("helper", { agent: "helper" }, { timeout_seconds: 40 }),
          agentTool("asked", { agent: "helper", context_transform: "{{ query }} in {{ session_id }}" }),
          agentTool("shaped", { agent: "helper" }, { parameters: { type: "object" } }),
          agentTool("clerk", { agent: "clerk" }),
          agentTool("careful", { agent: "helper" }, { mode: "propose" }),
          notes,
        ],
      }),
    },
  });
});

afterAll(() => daemon[Symbol.asyncDispose]());

async function execute(
  tool: string,
  input: unknown,
  more: Record<string, unknown> = {},
  signal?: AbortSignal,
) {
  const body = { tool, input, agent: "desk", ...more };
  const answer = await daemon.call("POST", "/v1/tools/execute", { body, ...(signal && { signal }) });
  expect(answer.status).toBe(200);
  expect([...Value.Errors(ToolExecuted, answer.body)]).toEqual([]);
  return answer.body;
}

const messages = () => daemon.models.lab.requests.at(-1)?.body.messages ?? [];
const lastQuery = () => messages().at(-1)?.content;
const propose = (key: string): ModelStep => ({
  toolCalls: [{ name: "cache_store", arguments: { action: "set", key, value: 1 } }],
});

/** Scripts a model that proposes to store `key`, then answers. */
function proposing(key: string): void {
  script = ({ body }) => (body.messages.at(-1)?.role === "tool" ? { text: "Proposed." } : propose(key));
}

describe("an agent tool, executed directly,", () => {
  test("runs the other agent and answers with what it says", async () => {
    script = () => ({ text: "Yes." });
    const { output, propuestas } = await execute("helper", { query: "Well?" });
    expect([output, propuestas]).toEqual([{ success: true, data: "Yes." }, undefined]);
    expect(lastQuery()).toBe("Well?");
    await execute("shaped", { city: "Lima" });
    expect(messages().map(({ content }) => content)).toEqual(["For Lima.", '{"city":"Lima"}']);
  });

  test("runs in the session that is named, and in a new one otherwise", async () => {
    script = () => ({ text: "Yes." });
    await execute("asked", { query: "one" }, { session_id: "s1" });
    await execute("asked", { query: "two" }, { session_id: "s1" });
    expect(
      messages()
        .slice(1)
        .map(({ content }) => content),
    ).toEqual(["one in s1", "Yes.", "two in s1"]);
    await execute("helper", { query: "three" });
    await execute("helper", { query: "four" });
    expect(
      messages()
        .slice(1)
        .map(({ content }) => content),
    ).toEqual(["four"]);
  });

  test("fails in words when the other agent does", async () => {
    script = () => ({ status: 400, body: "{}" });
    expect((await execute("helper", { query: "x" })).output).toEqual({
      success: false,
      error: expect.stringMatching(/^Agent helper failed \(\w+\): /),
    });
    expect((await execute("helper", { query: "x".repeat(262_145) })).output).toEqual({
      success: false,
      error: expect.stringContaining("(invalid_request)"),
    });
    expect((await execute("helper", {})).output.error).toContain("query is required");
  });

  test("ends that run with its own time limit", async () => {
    const begun = Promise.withResolvers<void>();
    script = () => {
      begun.resolve();
      return { after: new Promise(() => {}) };
    };
    const executed = execute("helper", { query: "x" });
    await begun.promise;
    await daemon.clock.advance(40_000);
    expect((await executed).output).toEqual({
      success: false,
      error: "Agent helper failed (orchestration_timeout): Agent helper did not finish within 40 seconds.",
    });
  });

  test("ends that run when the caller leaves", async () => {
    const begun = Promise.withResolvers<RecordedRequest>();
    script = (request) => {
      begun.resolve(request);
      return { after: new Promise(() => {}) };
    };
    const caller = new AbortController();
    const executed = execute("helper", { query: "x" }, {}, caller.signal).catch(({ name }) => name);
    const request = await begun.promise;
    caller.abort();
    expect(await executed).toBe("AbortError");
    await request.cut;
  });

  test("tells what the other agent proposed", async () => {
    proposing("k");
    const { output, propuestas } = await execute("clerk", { query: "x" });
    expect(output).toEqual({ success: true, data: "Proposed." });
    expect(propuestas).toEqual([
      {
        tool: "cache_store",
        tipo: "builtin",
        destino: "k",
        operacion: "set",
        argumentos: { action: "set", key: "k", value: 1 },
        via: "clerk",
      },
    ]);
  });
});

describe("a tool that only proposes, executed directly,", () => {
  test.each([
    [
      "cache_store",
      { action: "set", key: "k", value: 1 },
      { tipo: "builtin", destino: "k", operacion: "set" },
    ],
    ["careful", { query: "x" }, { tipo: "agent", destino: "helper", operacion: "run" }],
  ])("says that it was not executed, and what it would have done: %s", async (tool, input, proposed) => {
    const before = daemon.models.lab.requests.length;
    const { output, propuestas } = await execute(tool, input, { session_id: "p" });
    expect(output).toMatchObject({
      success: true,
      data: { executed: false, note: expect.stringContaining("was not executed") },
    });
    expect(propuestas).toEqual([{ tool, ...proposed, argumentos: input }]);
    expect(daemon.models.lab.requests).toHaveLength(before);
    const { body } = await daemon.call("POST", "/v1/tools/execute", {
      body: { tool: "cache_store", input: { action: "get", key: "k" }, session_id: "p" },
    });
    expect(body.output.data.found).toBeFalse();
  });

  test("proposes nothing when its input is wrong", async () => {
    const { output, propuestas } = await execute("cache_store", { action: "burn", key: "k" });
    expect([output.success, propuestas]).toEqual([false, []]);
  });
});

describe("proposals leave", () => {
  const proposal = { tool: "cache_store", destino: "door", operacion: "set" };

  test("with the result", async () => {
    proposing("door");
    const { status, body } = await daemon.run("clerk", { query: "x" });
    expect([status, [...Value.Errors(RunResult, body)]]).toEqual([200, []]);
    expect(body.propuestas).toMatchObject([proposal]);
    script = () => ({ text: "Nothing." });
    expect((await daemon.run("clerk", { query: "x" })).body.propuestas).toEqual([]);
    expect((await daemon.run("helper", { query: "x" })).body).not.toHaveProperty("propuestas");
  });

  test.each(["server-sent events", "a WebSocket"])("with `done` over %s", async (way) => {
    proposing("door");
    const body = { query: "x" };
    const stream =
      way === "a WebSocket"
        ? await openSocket(daemon.url, "clerk")
        : await openEvents(daemon.url, "clerk", body);
    if ("send" in stream && typeof stream.send === "function") stream.send(body);
    const frames = await stream.answer();
    for (const frame of frames) expect([...Value.Errors(StreamFrame, frame)]).toEqual([]);
    expect(frames.at(-1)).toMatchObject({ type: "done", propuestas: [proposal] });
    stream.leave();
  });
});
