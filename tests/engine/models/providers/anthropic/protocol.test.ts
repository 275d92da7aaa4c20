import { afterEach, describe, expect, test } from "bun:test";
import type { FinishReason, Message, ModelRequest } from "../../../../../src/engine/models/model.ts";
import type { ProviderOptions } from "../../../../../src/engine/models/providers/provider-kind.ts";
import { findProviderKind } from "../../../../../src/engine/models/providers/registry.ts";
import { newId } from "../../../../../src/kit/id.ts";
import { anthropicWire } from "../../../../support/anthropic-wire.ts";
import { FakeClock } from "../../../../support/fake-clock.ts";
import { type Answer, readAnswer } from "../../../../support/read-answer.ts";
import { requestOf } from "../../../../support/scripted-model.ts";
import { startVendorServer, type VendorServer, type VendorStep } from "../../../../support/vendor-server.ts";

const servers: VendorServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.stop()));
});

function modelAt(endpoint: string, options: Partial<ProviderOptions> = {}) {
  const model = findProviderKind("anthropic")?.build(
    { provider: "p", model: "m", endpoint, parameters: {}, timeoutMs: 60_000, ...options },
    { fetch, clock: new FakeClock(), newId },
  );
  if (!model) throw new Error("no provider");
  return model;
}

async function serve(steps: readonly [VendorStep, ...VendorStep[]], options?: Partial<ProviderOptions>) {
  const server = await startVendorServer(anthropicWire, steps);
  servers.push(server);
  return { server, model: modelAt(server.url, options) };
}

/** Returns the body sent for a request. */
async function sent(request: ModelRequest, options?: Partial<ProviderOptions>) {
  const { server, model } = await serve([{ text: ["ok"] }], options);
  await readAnswer(model, request);
  const [first] = server.requests;
  if (!first) throw new Error("nothing was sent");
  return first;
}

/** Reads the answer from a stream of these events. */
async function readEvents(events: readonly object[], request?: ModelRequest): Promise<Answer> {
  const body = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
  return readAnswer((await serve([{ body }])).model, request);
}

const add = { name: "add", description: "Adds.", parameters: { type: "object", properties: {} } };
const now = { name: "now", description: "", parameters: { type: "object" } };
const ephemeral = { type: "ephemeral" };

describe("the request", () => {
  test("holds the system prompt, tools, turns, parameters, key and version where the API wants them", async () => {
    const request: ModelRequest = {
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "2+2 and 3+3?" },
        {
          role: "assistant",
          content: "I'll add.",
          toolCalls: [
            { id: "c1", name: "add", input: { a: 2 } },
            { id: "c2", name: "add", input: {}, unparsable: "{oops" },
          ],
        },
        { role: "tool", callId: "c1", name: "add", content: "4" },
        { role: "tool", callId: "c2", name: "add", content: "" },
      ],
      tools: [add, now],
      toolChoice: "none",
      stream: true,
    };
    const { headers, body } = await sent(request, {
      apiKey: "secret",
      parameters: { temperature: 0.5, top_p: 0.9, top_k: 40, max_tokens: 100, stop: ["END"] },
    });
    expect(headers.get("x-api-key")).toBe("secret");
    expect(headers.get("authorization")).toBeNull();
    expect(headers.get("anthropic-version")).toBe("2023-06-01");
    expect(body).toEqual({
      model: "m",
      max_tokens: 100,
      temperature: 0.5,
      top_p: 0.9,
      top_k: 40,
      stop_sequences: ["END"],
      tools: [
        { name: "add", description: "Adds.", input_schema: add.parameters },
        { name: "now", input_schema: { ...now.parameters, properties: {} }, cache_control: ephemeral },
      ],
      tool_choice: { type: "none" },
      system: [{ type: "text", text: "Be brief.", cache_control: ephemeral }],
      stream: true,
      messages: [
        { role: "user", content: [{ type: "text", text: "2+2 and 3+3?" }] },
        {
          role: "assistant",
          content: [
            { type: "text", text: "I'll add." },
            { type: "tool_use", id: "c1", name: "add", input: { a: 2 } },
            { type: "tool_use", id: "c2", name: "add", input: {} },
          ],
        },
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: "c1", content: "4" },
            { type: "tool_result", tool_use_id: "c2", content: "" },
          ],
        },
      ],
    });
  });

  test("asks for a maximum length of its own without one in the request, and sends no absent options", async () => {
    const { headers, body } = await sent(requestOf("hi", { stream: false }));
    expect(body).toEqual({
      model: "m",
      max_tokens: 16_000,
      messages: [{ role: "user", content: [{ type: "text", text: "hi" }] }],
    });
    expect(headers.get("x-api-key")).toBeNull();
  });

  test("takes what a call wants over the model's own, and leaves out what the API has no field for", async () => {
    const { body } = await sent(
      requestOf("hi", { parameters: { max_tokens: 7, frequency_penalty: 1, presence_penalty: 1 } }),
      { parameters: { max_tokens: 100, temperature: 0 } },
    );
    expect(body).toMatchObject({ max_tokens: 7, temperature: 0 });
    expect(body).not.toHaveProperty("frequency_penalty");
    expect(body).not.toHaveProperty("presence_penalty");
  });

  test.each([
    ["none", { thinking: { type: "disabled" } }],
    ["minimal", { output_config: { effort: "low" } }],
    ["high", { output_config: { effort: "high" } }],
  ] as const)("says how long the model may think: %s is %j", async (reasoning_effort, fields) => {
    const { body } = await sent(requestOf("hi", { parameters: { reasoning_effort } }));
    expect(body).toMatchObject(fields);
    expect(body).not.toHaveProperty("reasoning_effort");
  });

  test("joins system messages, merges turns of one side, and leaves blank ones out", async () => {
    const { body } = await sent({
      ...requestOf(""),
      messages: [
        { role: "system", content: "One." },
        { role: "user", content: "a" },
        { role: "assistant", content: "" },
        { role: "system", content: "Two." },
        { role: "user", content: " \n" },
        { role: "user", content: "b" },
      ],
    });
    expect(body.system[0].text).toBe("One.\n\nTwo.");
    expect(body.messages).toEqual([
      {
        role: "user",
        content: [
          { type: "text", text: "a" },
          { type: "text", text: "b" },
        ],
      },
    ]);
  });

  test("rewrites call ids that the API refuses, alike in call and result", async () => {
    const { body } = await sent({
      ...requestOf(""),
      messages: [
        { role: "assistant", content: "", toolCalls: [{ id: "functions.add:0", name: "add", input: {} }] },
        { role: "tool", callId: "functions.add:0", name: "add", content: "1" },
      ],
    });
    const id = body.messages[0].content[0].id;
    expect(id).toMatch(/^[a-zA-Z0-9_-]+$/);
    expect(body.messages[1].content[0].tool_use_id).toBe(id);
  });

  test.each([
    ["", "/v1/messages"],
    ["/", "/v1/messages"],
    ["/v1", "/v1/messages"],
    ["/v1/messages", "/v1/messages"],
    ["/anthropic/", "/anthropic/v1/messages"],
  ])("goes to the chat route of an endpoint that ends in %p", async (path, expected) => {
    const asked: string[] = [];
    const model = findProviderKind("anthropic")?.build(
      { provider: "p", model: "m", endpoint: `https://a.example${path}`, parameters: {}, timeoutMs: 1000 },
      {
        fetch: async (url) => {
          asked.push(new URL(url).pathname);
          return Response.json(anthropicWire.whole({ text: ["ok"] }));
        },
        clock: new FakeClock(),
        newId,
      },
    );
    if (model) await readAnswer(model);
    expect(asked).toEqual([expected]);
  });
});

describe("thoughts", () => {
  const question: Message[] = [
    { role: "system", content: "Be brief." },
    { role: "user", content: "1+1?" },
  ];
  const thoughtful: VendorStep = {
    thinking: "One and one is",
    text: ["Adding."],
    calls: [{ name: "add", arguments: { a: 1 }, id: "toolu_a" }],
  };
  const base: ModelRequest = { messages: question, tools: [add], toolChoice: "auto", stream: true };

  /** Returns the request that follows an answer, with the answer as the engine stores it. */
  async function follow(first: Answer, request: Partial<ModelRequest> = {}): Promise<ModelRequest> {
    const { text, calls, end } = first;
    return {
      ...base,
      messages: [
        ...question,
        { role: "assistant", content: text, toolCalls: calls, ...(end?.echo && { echo: end.echo }) },
        ...calls.map(({ id, name }): Message => ({ role: "tool", callId: id, name, content: "2" })),
      ],
      ...request,
    };
  }

  test.each([[true], [false]])(
    "go back with their signature before the call, streamed: %p",
    async (stream) => {
      const { server, model } = await serve([thoughtful]);
      const first = await readAnswer(model, { ...base, stream });
      expect(first.text).toBe("Adding.");
      await readAnswer(model, await follow(first, { stream }));
      expect(server.requests[1]?.body.messages.slice(1)).toEqual([
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: "One and one is", signature: "signed:14" },
            { type: "text", text: "Adding." },
            { type: "tool_use", id: "toolu_a", name: "add", input: { a: 1 } },
          ],
        },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_a", content: "2" }] },
      ]);
    },
  );

  test("stay away under other instructions or other tools, and at another model", async () => {
    const { server, model } = await serve([thoughtful]);
    const first = await readAnswer(model, base);
    const system: Message = { role: "system", content: "Be verbose." };
    const followed = await follow(first);
    await readAnswer(model, { ...followed, messages: [system, ...followed.messages.slice(1)] });
    await readAnswer(model, { ...followed, tools: [add, now] });
    await readAnswer(modelAt(server.url, { model: "other" }), followed);
    for (const { body } of server.requests.slice(1)) {
      expect(body.messages[1].content).toEqual([
        { type: "text", text: "Adding." },
        { type: "tool_use", id: "toolu_a", name: "add", input: { a: 1 } },
      ]);
    }
  });

  test("between texts and calls keep their place, hidden and empty ones too; calls go back as we know them", async () => {
    const start = (index: number, content_block: object) => ({
      type: "content_block_start",
      index,
      content_block,
    });
    const delta = (index: number, fields: object) => ({ type: "content_block_delta", index, delta: fields });
    const use = { type: "tool_use", id: "same", name: "add", input: {} };
    const first = await readEvents(
      [
        start(0, { type: "redacted_thinking", data: "opaque" }),
        start(1, { type: "text", text: "A" }),
        start(2, { type: "thinking", thinking: "", signature: "" }),
        delta(2, { type: "signature_delta", signature: "s2" }),
        start(3, { type: "text", text: "" }),
        start(4, use),
        delta(4, { type: "input_json_delta", partial_json: '{"a":' }),
        start(5, use),
        delta(5, { type: "input_json_delta", partial_json: '{"a":2}' }),
        { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 3 } },
        { type: "message_stop" },
      ],
      base,
    );
    expect(first.calls).toMatchObject([{ id: "same", unparsable: '{"a":' }, { input: { a: 2 } }]);
    expect(first.end?.echo?.content).toEqual([
      { type: "redacted_thinking", data: "opaque" },
      { type: "text", text: "A" },
      { type: "thinking", thinking: "", signature: "s2" },
      { type: "tool_use", id: "same", name: "add", input: {} },
      { type: "tool_use", id: first.calls[1]?.id, name: "add", input: { a: 2 } },
    ]);
  });

  test("are not sent back where something came that we could not add to them", async () => {
    const { text, end } = await readEvents([
      { type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "" } },
      { type: "content_block_delta", index: 0, delta: { type: "novelty_delta", novelty: 1 } },
      { type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "hi" } },
      { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 3 } },
      { type: "message_stop" },
    ]);
    expect(text).toBe("hi");
    expect(end).not.toHaveProperty("echo");
  });

  test("without any, nothing is sent back", async () => {
    const { model } = await serve([{ text: ["hi"], calls: [{ name: "add", arguments: {} }] }]);
    expect((await readAnswer(model)).end).not.toHaveProperty("echo");
  });
});

describe("usage", () => {
  const usage = {
    input_tokens: 21,
    cache_creation_input_tokens: 100,
    cache_read_input_tokens: 1000,
    output_tokens: 1,
  };
  const text = { type: "content_block_start", index: 0, content_block: { type: "text", text: "hi" } };
  test("counts what was read from the cache, and written to it, as input; later events overrule", async () => {
    const { end } = await readEvents([
      { type: "message_start", message: { usage } },
      text,
      {
        type: "message_delta",
        delta: { stop_reason: "end_turn" },
        usage: { output_tokens: 42, input_tokens: null, cache_read_input_tokens: 1001 },
      },
      { type: "message_stop" },
    ]);
    expect(end?.usage).toEqual({
      inputTokens: 21 + 100 + 1001,
      outputTokens: 42,
      cachedTokens: 1001,
      writtenTokens: 100,
      estimated: false,
    });
  });

  test("of a whole answer counts alike", async () => {
    const whole = { ...(anthropicWire.whole({ text: ["hi"] }) as object), usage };
    const { model } = await serve([{ body: JSON.stringify(whole) }]);
    const { end } = await readAnswer(model, requestOf("hi", { stream: false }));
    expect(end?.usage).toMatchObject({ inputTokens: 1121, outputTokens: 1, cachedTokens: 1000 });
  });
});

describe("a reason to stop", () => {
  test.each<[string, FinishReason]>([
    ["end_turn", "stop"],
    ["stop_sequence", "stop"],
    ["max_tokens", "length"],
    ["model_context_window_exceeded", "length"],
    ["pause_turn", "length"],
    ["refusal", "content_filter"],
  ])("%s", async (reason, finish) => {
    const { model } = await serve([{ text: ["hi"], finish: reason }]);
    expect((await readAnswer(model)).end).toMatchObject({ finish });
  });

  test("thoughts that took all tokens are a cut answer, no empty one", async () => {
    const { model } = await serve([{ thinking: "hm", finish: "max_tokens" }]);
    expect((await readAnswer(model)).end).toMatchObject({ finish: "length" });
  });

  test("a refusal without a text is one, and calls before it are not carried out", async () => {
    const { model } = await serve([
      { finish: "refusal" },
      { calls: [{ name: "add", arguments: {} }], thinking: "hm", finish: "refusal" },
      { text: ["Well"], calls: [{ name: "add", arguments: {} }], thinking: "hm", finish: "refusal" },
    ]);
    for (let call = 0; call < 2; call++) {
      expect((await readAnswer(model)).failure).toMatchObject({ failure: "content_refused" });
    }
    const { text, calls, end } = await readAnswer(model);
    expect([text, calls]).toEqual(["Well", []]);
    expect(end).toEqual({
      type: "end",
      finish: "content_filter",
      usage: expect.anything(),
      thoughts: "hm",
    });
  });
});

test("events of kinds to come are passed over", async () => {
  const { text, failure } = await readEvents([
    { type: "novelty", content: 1 },
    { type: "content_block_start", index: 0, content_block: { type: "novelty", data: 1 } },
    { type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "hi" } },
    { type: "ping" },
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: {} },
  ]);
  expect(failure).toBeUndefined();
  expect(text).toBe("hi");
});

test("an overloaded service is out of reach, and says for how long", async () => {
  const body = JSON.stringify({ type: "error", error: { type: "overloaded_error", message: "Overloaded" } });
  const { model } = await serve([{ status: 529, body, headers: { "retry-after": "7" } }]);
  const { failure } = await readAnswer(model);
  expect(failure).toMatchObject({ failure: "unreachable", retryAfterSeconds: 7 });
});

test("silence ends the call, and a caller who leaves closes the connection", async () => {
  const { server, model } = await serve([{ text: ["a", "b"], silentAfter: 4 }]);
  const leaving = new AbortController();
  const events = model.call(requestOf("hi"), leaving.signal)[Symbol.asyncIterator]();
  expect((await events.next()).value).toEqual({ type: "text", text: "a" });
  const next = events.next().catch((error: unknown) => error);
  leaving.abort(new Error("gone"));
  expect(await next).toMatchObject({ message: "gone" });
  await server.requests[0]?.cut;
});
