import { afterEach, describe, expect, test } from "bun:test";
import type { Model, ModelRequest } from "../../../../src/engine/models/model.ts";
import type { ModelFailure } from "../../../../src/engine/models/model-failure.ts";
import { plainDialect } from "../../../../src/engine/models/providers/openai/dialect.ts";
import { openAiKind } from "../../../../src/engine/models/providers/openai/openai-kind.ts";
import type { ProviderOptions } from "../../../../src/engine/models/providers/provider-kind.ts";
import { newId } from "../../../../src/kit/id.ts";
import { FakeClock } from "../../../support/fake-clock.ts";
import {
  type ModelScript,
  type ModelServer,
  type ModelStep,
  startModelServer,
  streamEvents,
} from "../../../support/model-server.ts";
import { readAnswer } from "../../../support/read-answer.ts";
import { requestOf } from "../../../support/scripted-model.ts";

const kind = openAiKind({
  name: "openai",
  docs: "",
  local: true,
  needsEndpoint: true,
  needsKey: false,
  contextWindow: 8000,
  dialect: plainDialect,
});
const never = new AbortController().signal;
let servers: ModelServer[] = [];

afterEach(async () => {
  await Promise.all(servers.map((server) => server.stop()));
  servers = [];
});

async function modelWith(script: ModelScript, options: Partial<ProviderOptions> = {}) {
  const server = await startModelServer(script);
  servers.push(server);
  const clock = new FakeClock();
  return { server, clock, model: modelAt(server.url, options, clock) };
}

function modelAt(url: string, options: Partial<ProviderOptions> = {}, clock = new FakeClock()): Model {
  return kind.build(
    { provider: "p", model: "m", endpoint: url, parameters: {}, timeoutMs: 120_000, ...options },
    { fetch, clock, newId },
  );
}

const whole = requestOf("hi", { stream: false });

describe("an answer", () => {
  const toolCalls = [
    { name: "add", arguments: { a: 1 } },
    { name: "add", arguments: { a: 2 } },
  ];
  test.each([[true], [false]])("of text arrives in full, streamed: %p", async (stream) => {
    const { model } = await modelWith([
      { text: "Hello there, wörld ☃.", usage: { input: 7, output: 3, cached: 4 } },
    ]);
    const { text, end } = await readAnswer(model, requestOf("hi", { stream }));
    expect(text).toBe("Hello there, wörld ☃.");
    expect(end).toEqual({
      type: "end",
      finish: "stop",
      usage: { inputTokens: 7, outputTokens: 3, cachedTokens: 4, estimated: false },
    });
  });

  test.each([[true], [false]])("of tool calls arrives in order, streamed: %p", async (stream) => {
    const { model } = await modelWith([{ text: "I'll add.", toolCalls }]);
    const { text, calls, end } = await readAnswer(model, requestOf("hi", { stream }));
    expect(text).toBe("I'll add.");
    expect(calls.map(({ name, input }) => [name, input])).toEqual([
      ["add", { a: 1 }],
      ["add", { a: 2 }],
    ]);
    expect(new Set(calls.map(({ id }) => id)).size).toBe(2);
    expect(end).toMatchObject({ finish: "tool_calls" });
  });

  test("streams piece by piece as it comes", async () => {
    const { model } = await modelWith([{ text: ["a", "b", "c"], silentAfter: 2 }]);
    const events = model.call(requestOf("hi"), never)[Symbol.asyncIterator]();
    expect(await events.next()).toEqual({ done: false, value: { type: "text", text: "a" } });
    expect(await events.next()).toEqual({ done: false, value: { type: "text", text: "b" } });
    await events.return?.();
  });

  test("is the same wherever the network cuts it", async () => {
    const step: ModelStep = { text: ["Grüße ", "aus 東京 ", "🗼!"], toolCalls };
    const bytes = Buffer.from(streamEvents(step).join("")).length;
    let writeBytes = 0;
    const { model } = await modelWith(() => ({ ...step, writeBytes }));
    const expected = { text: "Grüße aus 東京 🗼!", inputs: [{ a: 1 }, { a: 2 }] };
    for (writeBytes of [1, 2, 3, 5, 7, 11, 64, 100, 1000, bytes]) {
      const { text, calls } = await readAnswer(model);
      expect({ text, inputs: calls.map(({ input }) => input) }).toEqual(expected);
    }
  });

  const tolerated: [name: string, step: ModelStep, request: ModelRequest, text: string][] = [
    ["without [DONE]", { text: "hi", withoutDone: true }, requestOf("hi"), "hi"],
    ["without a finish reason", { text: "hi", finish: null }, requestOf("hi"), "hi"],
    ["with an unknown finish reason", { text: "hi", finish: "eos_token" }, requestOf("hi"), "hi"],
    [
      "in one piece although a stream was asked for",
      { body: '{"choices":[{"message":{"content":"hi"},"finish_reason":"stop"}]}' },
      requestOf("hi"),
      "hi",
    ],
    [
      "streamed although one piece was asked for",
      { body: streamEvents({ text: "hi" }).join(""), headers: { "content-type": "text/event-stream" } },
      whole,
      "hi",
    ],
    [
      "streamed without a content type that says so",
      { body: streamEvents({ text: "hi" }).join(""), headers: { "content-type": "text/plain" } },
      requestOf("hi"),
      "hi",
    ],
  ];
  test.each(tolerated)("is taken %s", async (_name, step, request, expected) => {
    const { model } = await modelWith([step]);
    const { text, end, failure } = await readAnswer(model, request);
    expect(failure).toBeUndefined();
    expect(text).toBe(expected);
    expect(end).toMatchObject({ finish: "stop" });
  });

  test("is complete when the connection breaks after the finish reason", async () => {
    const cut = Promise.withResolvers<void>();
    // Text and finish reason in one write, so a reader that has one has both.
    const { model } = await modelWith([
      { text: ["hi"], cutAfter: 2, cutWhen: cut.promise, writeBytes: 1000 },
    ]);
    const types: string[] = [];
    for await (const event of model.call(requestOf("hi"), never)) {
      types.push(event.type);
      cut.resolve();
    }
    expect(types).toEqual(["text", "end"]);
  });

  test("whose usage is not reported is counted by us and marked", async () => {
    const { model } = await modelWith([{ text: "four tokens or five", usage: null }]);
    const { end } = await readAnswer(model);
    expect(end).toMatchObject({ usage: { inputTokens: 5, outputTokens: 5, estimated: true } });
  });
});

describe("the request", () => {
  test("holds model, messages, tools, parameters and the key, and asks a stream for its usage", async () => {
    const { model, server } = await modelWith([{ text: "ok" }], {
      apiKey: "secret",
      parameters: { temperature: 0.5, max_tokens: 100, stop: ["END"] },
    });
    const add = { name: "add", description: "Adds.", parameters: { type: "object", properties: {} } };
    await readAnswer(model, {
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "2+2?" },
        { role: "assistant", content: "", toolCalls: [{ id: "c1", name: "add", input: { a: 2 } }] },
        { role: "tool", callId: "c1", name: "add", content: "4" },
      ],
      tools: [add],
      toolChoice: "none",
      stream: true,
    });
    const [sent] = server.requests;
    expect(sent?.headers.get("authorization")).toBe("Bearer secret");
    expect(sent?.body).toEqual({
      model: "m",
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "2+2?" },
        {
          role: "assistant",
          content: null,
          tool_calls: [{ id: "c1", type: "function", function: { name: "add", arguments: '{"a":2}' } }],
        },
        { role: "tool", tool_call_id: "c1", content: "4" },
      ],
      tools: [{ type: "function", function: add }],
      tool_choice: "none",
      stream: true,
      stream_options: { include_usage: true },
      temperature: 0.5,
      max_tokens: 100,
      stop: ["END"],
    });
  });

  test("uses one connection for one call after another, streamed or not", async () => {
    const { model, server } = await modelWith([{ text: "ok" }]);
    for (let call = 0; call < 4; call++) await readAnswer(model, requestOf("hi", { stream: call % 2 === 0 }));
    expect(server.connections()).toBe(1);
  });
});

describe("a failure", () => {
  const html = { "content-type": "text/html" };
  const sse = { "content-type": "text/event-stream" };
  const table: [name: string, step: ModelStep, failure: string, message: RegExp][] = [
    ["a web page", { body: "<html>hi</html>", headers: html }, "unusable", /web page/],
    ["garbage in place of JSON", { body: "nonsense" }, "unusable", /not a JSON object/],
    ["JSON that is not an answer", { body: "[]" }, "unusable", /not a JSON object/],
    ["no choices", { body: '{"choices":[]}' }, "unusable", /empty answer/],
    ["an empty answer", { text: "" }, "unusable", /empty answer/],
    ["an empty stream", { body: "", headers: sse }, "unusable", /broke off/],
    ["a stream of garbage", { body: "data: {{{\n\n", headers: sse }, "unusable", /not a JSON object/],
    ["a stream cut before the first token", { text: "hi", cutAfter: 0 }, "unreachable", /p\/m/],
    [
      "a tool call without a name",
      { toolCalls: [{ name: "", arguments: {} }] },
      "unusable",
      /without naming/,
    ],
    [
      "an error in a stream that began well",
      { body: 'data: {"error":{"message":"boom","type":"server_error"}}\n\n', headers: sse },
      "unreachable",
      /broke off with an error/,
    ],
    [
      "an event longer than 1 MiB",
      { body: `data: ${"x".repeat(4_000_000)}\n\n`, headers: sse },
      "unusable",
      /1 MiB/,
    ],
    ["429", { status: 429, headers: { "retry-after": "7" } }, "unreachable", /429/],
    ["500", { status: 500, body: "oops" }, "unreachable", /500/],
    ["401", { status: 401 }, "auth", /key/],
    ["a redirect", { status: 302, headers: { location: "http://127.0.0.1:1/" } }, "auth", /address/],
    ["400", { status: 400, body: '{"error":{"message":"bad temperature"}}' }, "caller", /does not accept/],
  ];
  test.each(table)("%s", async (_name, step, expected, message) => {
    const { model } = await modelWith([step]);
    const { text, failure } = await readAnswer(model);
    expect(text).toBe("");
    expect(failure?.failure).toBe(expected as ModelFailure["failure"]);
    expect(failure?.message).toMatch(message);
    expect(failure?.message).toContain("p/m");
  });

  test("in the middle of a stream keeps what came and says that it broke off", async () => {
    const cut = Promise.withResolvers<void>();
    const { model } = await modelWith([
      { text: ["one ", "two ", "three"], cutAfter: 2, cutWhen: cut.promise },
    ]);
    const events = model.call(requestOf("hi"), never)[Symbol.asyncIterator]();
    expect(await events.next()).toMatchObject({ value: { text: "one " } });
    expect(await events.next()).toMatchObject({ value: { text: "two " } });
    const next = events.next().catch((error: unknown) => error);
    cut.resolve();
    expect(await next).toMatchObject({
      failure: "unusable",
      message: "p/m broke off in the middle of its answer.",
    });
  });

  test("of a stream of more than 16 MiB", async () => {
    const event = streamEvents({
      text: ["x".repeat(1_000_000)],
      usage: null,
      finish: null,
      withoutDone: true,
    }).join("");
    const { model } = await modelWith([{ body: event.repeat(18), headers: sse }]);
    const { failure } = await readAnswer(model);
    expect(failure).toMatchObject({ failure: "unusable" });
    expect(failure?.message).toMatch(/16 MiB/);
  });

  test("of an answer of more than 16 MiB in one piece, also when it is sent compressed", async () => {
    const body = JSON.stringify({ choices: [{ message: { content: "x".repeat(17 * 1024 * 1024) } }] });
    const bomb = Bun.serve({
      port: 0,
      fetch: () =>
        new Response(Bun.gzipSync(Buffer.from(body)), {
          headers: { "content-type": "application/json", "content-encoding": "gzip" },
        }),
    });
    const plain = await modelWith([{ body }]);
    for (const model of [plain.model, modelAt(`http://127.0.0.1:${bomb.port}/v1`)]) {
      expect((await readAnswer(model, whole)).failure?.message).toMatch(/16 MiB/);
    }
    await bomb.stop(true);
  });

  test("carries the wait that the server asks for", async () => {
    const { model, clock } = await modelWith([
      { status: 429, headers: { "retry-after": "7" } },
      { status: 503, headers: { "retry-after": new Date(Date.parse("2026-01-01T00:01:30Z")).toUTCString() } },
      { status: 503, headers: { "retry-after": "soon" } },
    ]);
    expect(clock.now().toISOString()).toBe("2026-01-01T00:00:00.000Z");
    const waits = [];
    for (let call = 0; call < 3; call++) waits.push((await readAnswer(model)).failure?.retryAfterSeconds);
    expect(waits).toEqual([7, 90, undefined]);
  });

  test("to connect is unreachable, and says why without the address", async () => {
    const server = await startModelServer([{}]);
    await server.stop();
    const { failure } = await readAnswer(modelAt(server.url));
    expect(failure).toMatchObject({
      failure: "unreachable",
      message: "p/m could not be reached (connection refused).",
    });
    const unknown = await readAnswer(modelAt("http://no-such-host.invalid/v1"));
    expect(unknown.failure).toMatchObject({ failure: "unreachable" });
  });

  test("never shows the key or the body it got", async () => {
    const { model } = await modelWith([{ status: 401, body: '{"error":{"message":"bad key sk-secret"}}' }], {
      apiKey: "sk-secret",
    });
    const { failure } = await readAnswer(model);
    expect(JSON.stringify([failure?.message, failure?.details])).not.toContain("sk-secret");
  });
});

describe("silence", () => {
  test("before the headers for longer than the limit is unreachable, and closes the connection", async () => {
    const arrived = Promise.withResolvers<void>();
    const { model, clock, server } = await modelWith(() => {
      arrived.resolve();
      return { after: new Promise(() => undefined) };
    });
    const answer = readAnswer(model);
    await arrived.promise;
    await clock.advance(120_000);
    expect((await answer).failure).toMatchObject({
      failure: "unreachable",
      message: "p/m was silent for 120 s.",
    });
    await server.requests[0]?.cut;
  });

  test("between two chunks counts from the last chunk on", async () => {
    const { model, clock, server } = await modelWith([{ text: ["a", "b"], silentAfter: 1 }]);
    const events = model.call(requestOf("hi"), never)[Symbol.asyncIterator]();
    await clock.advance(100_000);
    expect((await events.next()).value).toEqual({ type: "text", text: "a" });
    const next = events.next().catch((error: unknown) => error);
    await clock.advance(119_999);
    expect(clock.pending).toBe(1);
    await clock.advance(1);
    expect(await next).toMatchObject({ failure: "unreachable" });
    expect(clock.pending).toBe(0);
    await server.requests[0]?.cut;
  });
});

describe("a caller who leaves", () => {
  test("before the call makes none", async () => {
    const { model, server } = await modelWith([{ text: "hi" }]);
    await expect(readAnswer(model, requestOf("hi"), AbortSignal.abort(new Error("gone")))).rejects.toThrow(
      "gone",
    );
    expect(server.requests).toHaveLength(0);
  });

  test("while the provider thinks gets the reason at once, and the connection is closed", async () => {
    const arrived = Promise.withResolvers<void>();
    const { model, server, clock } = await modelWith(() => {
      arrived.resolve();
      return { after: new Promise(() => undefined) };
    });
    const leaving = new AbortController();
    const answer = readAnswer(model, requestOf("hi"), leaving.signal);
    await arrived.promise;
    leaving.abort(new Error("gone"));
    await expect(answer).rejects.toThrow("gone");
    await server.requests[0]?.cut;
    expect(clock.pending).toBe(0);
  });

  test("in the middle of a stream closes the connection, by abort or by reading no further", async () => {
    const { model, server } = await modelWith([{ text: ["a", "b"], silentAfter: 1 }]);
    const leaving = new AbortController();
    const events = model.call(requestOf("hi"), leaving.signal)[Symbol.asyncIterator]();
    await events.next();
    const next = events.next().catch((error: unknown) => error);
    leaving.abort(new Error("gone"));
    expect(await next).toMatchObject({ message: "gone" });
    await server.requests[0]?.cut;
    for await (const event of model.call(requestOf("hi"), never)) if (event.type === "text") break;
    await server.requests[1]?.cut;
  });
});

describe("the probe", () => {
  test("asks for the list of models and spends no tokens", async () => {
    const { model, server } = await modelWith([{ text: "hi" }]);
    await model.probe?.(never);
    expect(server.requests).toHaveLength(0);
  });
  test("fails as a call would", async () => {
    const wrong = await modelWith([{}]);
    await wrong.server.stop();
    expect(await wrong.model.probe?.(never).catch((error: unknown) => error)).toMatchObject({
      failure: "unreachable",
    });
    servers = [];
  });
});
