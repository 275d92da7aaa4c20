import { afterEach, describe, expect, test } from "bun:test";
import type { FinishReason, ModelRequest } from "../../../../../src/engine/models/model.ts";
import type { ProviderOptions } from "../../../../../src/engine/models/providers/provider-kind.ts";
import { findProviderKind } from "../../../../../src/engine/models/providers/registry.ts";
import { newId } from "../../../../../src/kit/id.ts";
import { cohereWire } from "../../../../support/cohere-wire.ts";
import { FakeClock } from "../../../../support/fake-clock.ts";
import { readAnswer } from "../../../../support/read-answer.ts";
import { requestOf } from "../../../../support/scripted-model.ts";
import { startVendorServer, type VendorServer, type VendorStep } from "../../../../support/vendor-server.ts";

const servers: VendorServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.stop()));
});

async function serve(
  steps: readonly [VendorStep, ...VendorStep[]],
  options: Partial<ProviderOptions> = {},
  path = "",
) {
  const server = await startVendorServer(cohereWire, steps);
  servers.push(server);
  const model = findProviderKind("cohere")?.build(
    {
      provider: "p",
      model: "m",
      endpoint: `${server.url}${path}`,
      parameters: {},
      timeoutMs: 60_000,
      ...options,
    },
    { fetch, clock: new FakeClock(), newId },
  );
  if (!model) throw new Error("no provider");
  return { server, model };
}

const add = { name: "add", description: "Adds.", parameters: { type: "object", properties: {} } };
const whole = requestOf("hi", { stream: false });
const stream = (...events: object[]): VendorStep => ({
  body: events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""),
});

describe("the request", () => {
  test("holds messages, tools, parameters and the key by the vendor's names", async () => {
    const { server, model } = await serve([{ text: ["ok"] }], {
      apiKey: "secret",
      parameters: {
        temperature: 0.5,
        top_p: 0.9,
        top_k: 40,
        max_tokens: 100,
        frequency_penalty: 0.1,
        presence_penalty: 0.2,
        stop: ["END"],
      },
    });
    await readAnswer(model, {
      messages: [
        { role: "user", content: "2+2?" },
        { role: "system", content: "Be brief." },
        { role: "assistant", content: "" },
        {
          role: "assistant",
          content: "I'll add.",
          toolCalls: [
            { id: "c1", name: "add", input: { a: 2 } },
            { id: "c2", name: "add", input: {}, unparsable: "{oops" },
          ],
        },
        { role: "tool", callId: "c1", name: "add", content: "4" },
        { role: "tool", callId: "c2", name: "add", content: "?" },
      ],
      tools: [add],
      toolChoice: "none",
      stream: true,
    });
    expect(server.requests[0]?.headers.get("authorization")).toBe("Bearer secret");
    expect(server.requests[0]?.body).toEqual({
      model: "m",
      temperature: 0.5,
      max_tokens: 100,
      frequency_penalty: 0.1,
      presence_penalty: 0.2,
      p: 0.9,
      k: 40,
      stop_sequences: ["END"],
      tools: [{ type: "function", function: add }],
      tool_choice: "NONE",
      stream: true,
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "2+2?" },
        {
          role: "assistant",
          content: "I'll add.",
          tool_calls: [
            { id: "c1", type: "function", function: { name: "add", arguments: '{"a":2}' } },
            { id: "c2", type: "function", function: { name: "add", arguments: "{}" } },
          ],
        },
        { role: "tool", tool_call_id: "c1", content: "4" },
        { role: "tool", tool_call_id: "c2", content: "?" },
      ],
    });
  });

  test("names no choice of tools where it is free, and none of what there isn't", async () => {
    const { server, model } = await serve([{ text: ["ok"] }]);
    await readAnswer(model, { ...whole, tools: [add] });
    await readAnswer(model, { ...whole, parameters: { top_k: 3 } });
    expect(server.requests[0]?.body).toEqual({
      model: "m",
      tools: [{ type: "function", function: add }],
      stream: false,
      messages: [{ role: "user", content: "hi" }],
    });
    expect(server.requests[1]?.body).toMatchObject({ k: 3 });
  });

  test.each([["/v1"], ["/v2"], ["/v2/chat"], ["/"]])(
    "goes to the chat route of an endpoint that ends in %p",
    async (path) => {
      const { model } = await serve([{ text: ["ok"] }], {}, path);
      expect((await readAnswer(model)).text).toBe("ok");
    },
  );
});

describe("plans and thoughts", () => {
  const plan: VendorStep = {
    thinking: "I will add one and one.",
    calls: [{ name: "add", arguments: { a: 1 }, id: "add_1" }],
  };
  const second = (first: Awaited<ReturnType<typeof readAnswer>>): ModelRequest => ({
    ...requestOf("1+1?"),
    messages: [
      {
        role: "assistant",
        content: first.text,
        toolCalls: first.calls,
        ...(first.end?.echo && { echo: first.end.echo }),
      },
      ...first.calls.map(({ id, name }) => ({ role: "tool" as const, callId: id, name, content: "2" })),
    ],
  });

  test.each([[true], [false]])(
    "a plan is not part of the answer and goes back with its calls, streamed: %p",
    async (isStream) => {
      const { server, model } = await serve([plan]);
      const first = await readAnswer(model, requestOf("1+1?", { stream: isStream }));
      expect(first.text).toBe("");
      await readAnswer(model, second(first));
      expect(server.requests[1]?.body.messages[0]).toEqual({
        role: "assistant",
        tool_plan: "I will add one and one.",
        tool_calls: [{ id: "add_1", type: "function", function: { name: "add", arguments: '{"a":1}' } }],
      });
    },
  );

  test("thoughts go back as content, ahead of the text", async () => {
    const { server, model } = await serve([{ thinking: "Hm, two.", text: ["Two."] }]);
    const first = await readAnswer(model);
    expect(first.text).toBe("Two.");
    await readAnswer(model, second(first));
    expect(server.requests[1]?.body.messages[0]).toEqual({
      role: "assistant",
      content: [
        { type: "thinking", thinking: "Hm, two." },
        { type: "text", text: "Two." },
      ],
    });
  });

  test("neither goes to another model", async () => {
    const { server, model } = await serve([plan]);
    const first = await readAnswer(model);
    const other = findProviderKind("cohere")?.build(
      { provider: "p", model: "other", endpoint: server.url, parameters: {}, timeoutMs: 1000 },
      { fetch, clock: new FakeClock(), newId },
    );
    if (other) await readAnswer(other, second(first));
    expect(server.requests[1]?.body.messages[0]).not.toHaveProperty("tool_plan");
  });
});

describe("usage", () => {
  const end = (usage: object) => ({ type: "message-end", delta: { finish_reason: "COMPLETE", usage } });
  const text = { type: "content-delta", index: 0, delta: { message: { content: { text: "hi" } } } };
  test.each([
    [
      "is what is billed, with what came from the cache",
      {
        billed_units: { input_tokens: 37.0, output_tokens: 28.0 },
        tokens: { input_tokens: 913.0, output_tokens: 83.0 },
        cached_tokens: 16,
      },
      { inputTokens: 37, outputTokens: 28, cachedTokens: 16, estimated: false },
    ],
    [
      "is what was read, where the bill is missing",
      { tokens: { input_tokens: 913, output_tokens: 83 } },
      { inputTokens: 913, outputTokens: 83, cachedTokens: 0, estimated: false },
    ],
  ])("%s", async (_name, usage, expected) => {
    const { model } = await serve([stream(text, end(usage))]);
    expect((await readAnswer(model)).end?.usage).toEqual(expected);
  });
});

describe("a reason to stop", () => {
  test.each<[string, FinishReason]>([
    ["COMPLETE", "stop"],
    ["STOP_SEQUENCE", "stop"],
    ["MAX_TOKENS", "length"],
    ["ERROR_TOXIC", "content_filter"],
  ])("%s", async (reason, finish) => {
    const { model } = await serve([{ text: ["hi"], finish: reason }]);
    expect((await readAnswer(model)).end).toMatchObject({ finish });
  });

  test.each([
    ["ERROR", undefined, "unusable"],
    ["ERROR", "too many tokens: size limit exceeded by 4 tokens", "context_length"],
    ["TIMEOUT", undefined, "unreachable"],
  ])("%s (%p) is a failure, streamed or whole", async (finish_reason, error, failure) => {
    const step = stream({ type: "message-end", delta: { finish_reason, error } });
    expect((await readAnswer((await serve([step])).model)).failure).toMatchObject({ failure });
    const body = JSON.stringify({ message: { role: "assistant", content: [] }, finish_reason, error });
    expect((await readAnswer((await serve([{ body }])).model, whole)).failure).toMatchObject({ failure });
  });
});

test("words that the vendor refuses don't count against its health", async () => {
  const { model } = await serve([{ status: 498, body: '{"data":"token"}' }]);
  expect((await readAnswer(model)).failure).toMatchObject({ failure: "content_refused" });
});

test("citations and events of kinds to come are passed over, and [DONE] ends a stream", async () => {
  const events = cohereWire.events({ text: ["hi"] });
  const body = [
    ...events.slice(0, 2),
    'data: {"type":"citation-start","index":0,"delta":{"message":{"citations":{"start":0,"end":2,"text":"hi"}}}}\n\n',
    'data: {"type":"novelty"}\n\n',
    ...events.slice(2),
    "data: [DONE]\n\n",
  ].join("");
  const { model } = await serve([
    { body },
    {
      body: 'data: {"type":"content-delta","delta":{"message":{"content":{"text":"x"}}}}\n\ndata: [DONE]\n\n',
    },
  ]);
  expect(await readAnswer(model)).toMatchObject({ text: "hi", failure: undefined });
  expect(await readAnswer(model)).toMatchObject({ text: "x", failure: undefined });
});
