import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import OpenAI from "openai";
import { agentFile, startDaemon, type TestDaemon } from "../../../support/daemon.ts";
import type { ChatBody, ModelStep, RecordedRequest } from "../../../support/model-server.ts";

let daemon: TestDaemon;
let client: OpenAI;
let script: (request: RecordedRequest) => ModelStep;

beforeAll(async () => {
  daemon = await startDaemon({
    models: { lab: (request) => script(request) },
    agents: {
      "helper.agent.yaml": agentFile("helper", {
        model: {
          primary: {
            provider: "lab",
            model: "test-model",
            parameters: { temperature: 0.9, max_tokens: 50, top_p: 0.5 },
          },
        },
        tools: [{ name: "datetime_now", type: "builtin" }],
        orchestration: { max_iterations: 2 },
      }),
      "broken.agent.yaml": agentFile("broken", { knowledge: { pipeline: "handbook" } }),
    },
  });
  client = new OpenAI({ apiKey: "unused", baseURL: `${daemon.url}/v1`, maxRetries: 0 });
});

afterAll(() => daemon[Symbol.asyncDispose]());

const say = (step: ModelStep) => {
  script = () => step;
};
/** Returns the last request body at the model server. */
function sent(): ChatBody {
  const body = daemon.models.lab.requests.at(-1)?.body;
  if (body === undefined) throw new Error("The model was not asked.");
  return body;
}

const user = (content: string) => ({ role: "user" as const, content });

test("an agent answers in one piece", async () => {
  say({ text: "It is noon." });
  const completion = await client.chat.completions.create({
    model: "agent/helper",
    messages: [user("time?")],
  });
  expect(completion).toMatchObject({
    id: expect.stringMatching(/^chatcmpl-/),
    object: "chat.completion",
    created: Date.parse("2026-01-01T00:00:00Z") / 1000,
    model: "agent/helper",
    choices: [
      {
        index: 0,
        finish_reason: "stop",
        message: { role: "assistant", content: "It is noon.", refusal: null },
      },
    ],
    usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
  });
});

test("an agent's own tools are used behind the scenes", async () => {
  script = (request) =>
    request.body.messages.at(-1)?.role === "tool"
      ? { text: "It is noon." }
      : { toolCalls: [{ name: "datetime_now", arguments: {} }] };
  const { choices } = await client.chat.completions.create({
    model: "agent/helper",
    messages: [user("time?")],
  });
  expect(choices[0]?.message).toEqual({ role: "assistant", content: "It is noon.", refusal: null });
});

test.each(["agent/helper", "lab/test-model"])("%s streams, with usage when asked for", async (model) => {
  say({ text: ["It ", "is ", "noon."] });
  for (const include_usage of [true, false]) {
    const stream = await client.chat.completions.create({
      model,
      messages: [user("time?")],
      stream: true,
      stream_options: { include_usage },
    });
    const chunks = await Array.fromAsync(stream);
    expect(chunks.every((chunk) => chunk.object === "chat.completion.chunk" && chunk.model === model)).toBe(
      true,
    );
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(1);
    expect(chunks[0]?.choices[0]?.delta).toEqual({ role: "assistant", content: "" });
    expect(chunks.map((chunk) => chunk.choices[0]?.delta.content ?? "").join("")).toBe("It is noon.");
    expect(chunks.flatMap((chunk) => chunk.choices[0]?.finish_reason ?? [])).toEqual(["stop"]);
    const usage = chunks.flatMap((chunk) => chunk.usage ?? []);
    expect(usage).toMatchObject(include_usage ? [{ prompt_tokens: 10, total_tokens: 15 }] : []);
  }
});

test("the client's own helpers read the stream", async () => {
  say({ text: ["It ", "is ", "noon."] });
  const stream = client.chat.completions.stream({ model: "agent/helper", messages: [user("time?")] });
  expect(await stream.finalContent()).toBe("It is noon.");
});

describe("a model called directly", () => {
  const weather = {
    type: "function" as const,
    function: {
      name: "weather",
      description: "Tells the weather.",
      parameters: { type: "object", properties: { city: { type: "string" } } },
    },
  };
  const call = { id: "c1", name: "weather", arguments: { city: "Lima" } };

  test.each([false, true])("takes the client's tools there and back (streamed: %p)", async (stream) => {
    script = (request) =>
      request.body.messages.at(-1)?.role === "tool" ? { text: "Sunny." } : { toolCalls: [call] };
    const messages: OpenAI.ChatCompletionMessageParam[] = [
      { role: "system", content: "Be brief." },
      {
        role: "user",
        content: [
          { type: "text", text: "Weather " },
          { type: "text", text: "in Lima?" },
        ],
      },
    ];
    const asked = stream
      ? await client.chat.completions
          .stream({ model: "lab/test-model", messages, tools: [weather] })
          .finalChatCompletion()
      : await client.chat.completions.create({ model: "lab/test-model", messages, tools: [weather] });
    const [choice] = asked.choices;
    expect(choice?.finish_reason).toBe("tool_calls");
    expect(choice?.message.content).toBeNull();
    expect(choice?.message.tool_calls).toMatchObject([
      { id: "c1", type: "function", function: { name: "weather", arguments: '{"city":"Lima"}' } },
    ]);
    expect(sent()).toMatchObject({
      model: "test-model",
      tools: [weather],
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "Weather in Lima?" },
      ],
    });

    const { choices } = await client.chat.completions.create({
      model: "lab/test-model",
      tools: [weather],
      messages: [
        ...messages,
        { role: "assistant", content: null, tool_calls: choice?.message.tool_calls ?? [] },
        { role: "tool", tool_call_id: "c1", content: '{"sky":"clear"}' },
      ],
    });
    expect(choices[0]?.message.content).toBe("Sunny.");
    expect(sent().messages.slice(2)).toMatchObject([
      {
        role: "assistant",
        tool_calls: [{ id: "c1", function: { name: "weather", arguments: '{"city":"Lima"}' } }],
      },
      { role: "tool", tool_call_id: "c1", content: '{"sky":"clear"}' },
    ]);
  });

  test("uses no tool when the client forbids it", async () => {
    say({ text: "No." });
    await client.chat.completions.create({
      model: "lab/test-model",
      messages: [user("hi")],
      tools: [weather],
      tool_choice: "none",
    });
    expect(sent().tool_choice).toBe("none");
  });
});

test.each(["agent/helper", "lab/test-model"])(
  "the request's sampling parameters win for %s",
  async (model) => {
    say({ text: "Fine." });
    await client.chat.completions.create({
      model,
      messages: [user("hi")],
      temperature: 0.1,
      max_completion_tokens: 7,
      presence_penalty: 1,
      stop: "END",
    });
    expect(sent()).toMatchObject({ temperature: 0.1, max_tokens: 7, presence_penalty: 1, stop: ["END"] });
    expect(sent().top_p).toBe(model === "agent/helper" ? 0.5 : undefined);
  },
);

test.each([
  ["verbosity", "low"],
  ["service_tier", "flex"],
  ["prediction", { type: "content", content: "x" }],
  ["min_p", 0.1],
  ["repetition_penalty", 1.1],
  ["thinking", { type: "enabled", budget_tokens: 1024 }],
  ["enable_thinking", true],
  ["chat_template_kwargs", { enable_thinking: false }],
  ["logit_bias", { 50256: -100 }],
  ["logprobs", true],
  ["n", 2],
  ["modalities", ["text", "audio"]],
  ["web_search_options", {}],
])("%s, which has no effect here, is 400 by name", async (name, value) => {
  const asked = { model: "lab/test-model", messages: [user("hi")], [name]: value };
  const { status, body } = await daemon.call("POST", "/v1/chat/completions", { body: asked });
  expect([status, body.error.param]).toEqual([400, name]);
  expect(body.error.message).toContain(name);
});

test("values that change nothing, and top_k, are taken", async () => {
  say({ text: "Fine." });
  const neutral = { verbosity: "medium", service_tier: "auto", min_p: 0, repetition_penalty: 1, n: 1 };
  const asked = { model: "lab/test-model", messages: [user("hi")], ...neutral, top_k: 7 };
  expect((await daemon.call("POST", "/v1/chat/completions", { body: asked })).status).toBe(200);
  expect(sent()).toMatchObject({ top_k: 7 });
  for (const name of Object.keys(neutral)) expect(sent()).not.toHaveProperty(name);
});

describe("the conversation with an agent", () => {
  const contents = () =>
    sent()
      .messages.filter(({ role }) => role !== "system")
      .map(({ content }) => content);

  test("is the client's when no session is named, and nothing of it is kept", async () => {
    say({ text: "Fine." });
    for (let time = 1; time <= 2; time++) {
      await client.chat.completions.create({
        model: "agent/helper",
        messages: [user("one"), { role: "assistant", content: "two" }, user("three")],
      });
      expect(contents()).toEqual(["one", "two", "three"]);
    }
  });

  test.each([
    ["user", { user: "ann" }],
    ["metadata.session_id", { user: "someone else", metadata: { session_id: "bob", team: "a" } }],
  ])("is the agent's own when %s names a session", async (_how, named) => {
    say({ text: "Fine." });
    const ask = (content: string) =>
      client.chat.completions.create({ model: "agent/helper", messages: [user(content)], ...named });
    await ask("one");
    await ask("two");
    expect(contents()).toEqual(["one", "Fine.", "two"]);
    const session = "metadata" in named ? "bob" : "ann";
    const { body } = await daemon.call("GET", `/v1/memory/helper/history/${session}`);
    expect(body.messages).toHaveLength(4);
  });
});

test("the models are the agents that run and what providers.yaml names", async () => {
  const { data } = await client.models.list();
  expect(data).toMatchObject([{ id: "agent/helper", object: "model", owned_by: "argosy" }]);
});

test("vendor fields that change nothing are let through", async () => {
  say({ text: "Fine." });
  const body = {
    model: "agent/helper",
    messages: [
      user("one"),
      { role: "assistant", content: "two", refusal: null, annotations: [], audio: null },
      { ...user("hi"), x_vendor: 1 },
    ],
    n: 1,
    logprobs: false,
    response_format: { type: "text" },
    parallel_tool_calls: true,
    tool_choice: "auto",
    stop: null,
    temperature: null,
    metadata: null,
    stream: null,
    seed: 7,
    store: false,
    stream_options: { include_usage: true, x_vendor: 1 },
    x_vendor: { a: 1 },
  };
  const answer = await daemon.call("POST", "/v1/chat/completions", { body });
  expect(answer.body.choices[0].message.content).toBe("Fine.");
});
