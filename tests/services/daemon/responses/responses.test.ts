import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import OpenAI from "openai";
import { findProviderKind } from "../../../../src/engine/models/providers/registry.ts";
import { newId } from "../../../../src/kit/id.ts";
import { agentFile, startDaemon, type TestDaemon } from "../../../support/daemon.ts";
import { FakeClock } from "../../../support/fake-clock.ts";
import type { ChatBody, ModelStep, RecordedRequest } from "../../../support/model-server.ts";
import { readAnswer } from "../../../support/read-answer.ts";
import { requestOf } from "../../../support/scripted-model.ts";

let daemon: TestDaemon;
let client: OpenAI;
let script: (request: RecordedRequest) => ModelStep;

beforeAll(async () => {
  daemon = await startDaemon({
    models: { lab: (request) => script(request) },
    agents: {
      "helper.agent.yaml": agentFile("helper", {
        model: { primary: { provider: "lab", model: "test-model" } },
      }),
      "locator.agent.yaml": agentFile("locator", {
        model: { primary: { provider: "lab", model: "test-model" } },
        tools: [{ name: "locate", type: "client", description: "Where.", parameters: { type: "object" } }],
      }),
    },
  });
  client = new OpenAI({ apiKey: "unused", baseURL: `${daemon.url}/v1`, maxRetries: 0 });
});

afterAll(() => daemon[Symbol.asyncDispose]());

const say = (step: ModelStep) => {
  script = () => step;
};
/** The conversation that the model server got last, without the instructions. */
function told(): { role: string; content: unknown }[] {
  const body: ChatBody | undefined = daemon.models.lab.requests.at(-1)?.body;
  return (body?.messages ?? [])
    .filter(({ role }) => role !== "system")
    .map(({ role, content }) => ({ role, content }));
}
const statusOf = async (body: object): Promise<[number, string | null]> => {
  const answer = await daemon.call("POST", "/v1/responses", { body });
  return [answer.status, answer.body.error?.param ?? answer.body.error?.code ?? null];
};
const models = ["agent/helper", "lab/test-model"];

test.each(models)("%s answers in one piece", async (model) => {
  say({ text: "It is noon." });
  const response = await client.responses.create({ model, input: "time?", instructions: "Be short." });
  expect(response).toMatchObject({
    object: "response",
    status: "completed",
    model,
    output_text: "It is noon.",
    output: [{ type: "message", role: "assistant", status: "completed" }],
    usage: { input_tokens: 10, output_tokens: 5, total_tokens: 15 },
  });
});

test.each(models)("%s streams, in order and with the official names", async (model) => {
  say({ text: ["It ", "is ", "noon."] });
  const stream = client.responses.stream({ model, input: "time?" });
  const events = await Array.fromAsync(stream);
  expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, index) => index));
  const types = events.map(({ type }) => type);
  expect(types.filter((type, index) => type !== types[index - 1])).toEqual([
    "response.created",
    "response.in_progress",
    "response.output_item.added",
    "response.content_part.added",
    "response.output_text.delta",
    "response.output_text.done",
    "response.content_part.done",
    "response.output_item.done",
    "response.completed",
  ]);
  const response = await stream.finalResponse();
  expect(response.output_text).toBe("It is noon.");
  // Who has read the end may retrieve it.
  expect((await client.responses.retrieve(response.id)).output).toMatchObject([
    { content: [{ text: "It is noon." }] },
  ]);
});

describe.each(models)("a conversation with %s", (model) => {
  test("continues from any response of it, and branches stay apart", async () => {
    say({ text: "Hello Ada." });
    const first = await client.responses.create({ model, input: "I am Ada." });
    say({ text: "Ada." });
    const turns = { model, previous_response_id: first.id };
    const second = await client.responses.create({ ...turns, input: "Who am I?" });
    await client.responses.create({ ...turns, input: "Other branch." });
    expect(told()).toEqual([
      { role: "user", content: "I am Ada." },
      { role: "assistant", content: "Hello Ada." },
      { role: "user", content: "Other branch." },
    ]);
    await client.responses.create({ model, previous_response_id: second.id, input: "And then?" });
    expect(told().map(({ content }) => content)).toEqual([
      "I am Ada.",
      "Hello Ada.",
      "Who am I?",
      "Ada.",
      "And then?",
    ]);
  });

  test("takes items of earlier responses by their ids", async () => {
    say({ text: "Hello Ada." });
    const first = await client.responses.create({ model, input: "I am Ada." });
    await client.responses.create({
      model,
      input: [
        { role: "user", content: "I am Ada." },
        { type: "item_reference", id: first.output[0]?.id ?? "" },
        { role: "user", content: "Who?" },
      ],
    });
    expect(told().map(({ content }) => content)).toEqual(["I am Ada.", "Hello Ada.", "Who?"]);
  });

  test("a response that is deleted, or was never stored, is 404", async () => {
    say({ text: "Hello." });
    const kept = await client.responses.create({ model, input: "hi" });
    await client.responses.delete(kept.id);
    const unstored = await client.responses.create({ model, input: "hi", store: false });
    for (const { id } of [kept, unstored]) {
      expect(await statusOf({ model, input: "hi", previous_response_id: id })).toEqual([
        404,
        "response_not_found",
      ]);
      for (const [method, path] of [
        ["GET", ""],
        ["DELETE", ""],
        ["POST", "/cancel"],
        ["GET", "/input_items"],
      ] as const) {
        const { status } = await daemon.call(method, `/v1/responses/${id}${path}`);
        expect([method, path, status]).toEqual([method, path, 404]);
      }
    }
  });
});

test("a named conversation is a session of the agent, which responses after it stay in", async () => {
  say({ text: "Hello Ada." });
  const model = "agent/helper";
  const first = await client.responses.create({ model, input: "I am Ada.", conversation: "ada" });
  await client.responses.create({ model, input: "Who?", previous_response_id: first.id });
  expect(told().map(({ content }) => content)).toEqual(["I am Ada.", "Hello Ada.", "Who?"]);
  const history = await daemon.call("GET", "/v1/memory/helper/history/ada");
  expect(JSON.stringify(history.body)).toContain("Who?");
});

test("forgetting a session deletes its responses, and no others", async () => {
  say({ text: "Noted." });
  const model = "agent/helper";
  const kept = await client.responses.create({ model, input: "My code is 41.", conversation: "keep" });
  const gone = await client.responses.create({ model, input: "My code is 42.", conversation: "drop" });
  const next = await client.responses.create({ model, input: "And?", previous_response_id: gone.id });
  const { body } = await daemon.call("DELETE", "/v1/memory/helper/sessions/drop");
  expect(body).toMatchObject({ responses: 2, messages: 4 });
  for (const { id } of [gone, next])
    expect((await daemon.call("GET", `/v1/responses/${id}`)).status).toBe(404);
  expect((await client.responses.retrieve(kept.id)).id).toBe(kept.id);
});

test("input items are listed in pages, newest first unless asked otherwise", async () => {
  say({ text: "Yes." });
  const { id } = await client.responses.create({
    model: "lab/test-model",
    input: ["a", "b", "c"].map((content) => ({ role: "user" as const, content })),
  });
  const listed = async (query: object) =>
    (await Array.fromAsync(await client.responses.inputItems.list(id, query))).map(
      (item) => "content" in item && item.content,
    );
  expect(await listed({ limit: 2 })).toEqual(["c", "b", "a"] as never);
  expect(await listed({ order: "asc", limit: 1 })).toEqual(["a", "b", "c"] as never);
});

const weather = {
  type: "function" as const,
  name: "weather",
  description: "Tells the weather.",
  parameters: { type: "object", properties: { city: { type: "string" } } },
  strict: false,
};

test.each([false, true])("a model calls the client's functions (streamed: %p)", async (streamed) => {
  script = (request) =>
    request.body.messages.at(-1)?.role === "tool"
      ? { text: "Sunny." }
      : { toolCalls: [{ id: "c1", name: "weather", arguments: { city: "Lima" } }] };
  const request = { model: "lab/test-model", input: "weather?", tools: [weather] };
  const response = streamed
    ? await client.responses.stream(request).finalResponse()
    : await client.responses.create(request);
  const [call] = response.output;
  if (call?.type !== "function_call") throw new Error("There is no call.");
  expect(call).toMatchObject({ name: "weather", arguments: '{"city":"Lima"}', status: "completed" });
  const next = await client.responses.create({
    model: "lab/test-model",
    previous_response_id: response.id,
    input: [{ type: "function_call_output", call_id: call.call_id, output: "sun" }],
    tools: [weather],
  });
  expect(next.output_text).toBe("Sunny.");
});

test("a client tool of an agent is a function call, and its output resumes the run", async () => {
  script = (request) =>
    request.body.messages.at(-1)?.role === "tool"
      ? { text: "In Lisbon." }
      : { toolCalls: [{ name: "locate", arguments: {} }] };
  const first = await client.responses.create({ model: "agent/locator", input: "Where am I?" });
  const [call] = first.output;
  if (call?.type !== "function_call") throw new Error("There is no call.");
  const next = await client.responses.create({
    model: "agent/locator",
    previous_response_id: first.id,
    input: [{ type: "function_call_output", call_id: call.call_id, output: "Lisbon" }],
  });
  expect(next.output_text).toBe("In Lisbon.");
});

test.each(models)("%s answers in the shape that is asked for", async (model) => {
  say({ text: 'Sure: {"city": "Paris"}' });
  const schema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
  const { output_text } = await client.responses.create({
    model,
    input: "Where?",
    text: { format: { type: "json_schema", name: "place", schema } },
  });
  expect(JSON.parse(output_text)).toEqual({ city: "Paris" });
});

test("images and files of a message reach the model, the files as text", async () => {
  say({ text: "Seen." });
  const image = `data:image/png;base64,${Buffer.from("png").toString("base64")}`;
  await client.responses.create({
    model: "lab/test-model",
    input: [
      {
        role: "user",
        content: [
          { type: "input_text", text: "Look: " },
          { type: "input_image", image_url: image, detail: "auto" },
          {
            type: "input_file",
            filename: "note.txt",
            file_data: `data:text/plain;base64,${Buffer.from("buy milk").toString("base64")}`,
          },
        ],
      },
    ],
  });
  const sent = JSON.stringify(told());
  expect(sent).toContain("buy milk");
  expect(sent).toContain(image);
});

describe("in the background", () => {
  test("a response is there at once, and retrieved when it has ended", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    script = () => ({ text: "Done.", after: promise });
    const begun = await client.responses.create({ model: "agent/helper", input: "go", background: true });
    expect(begun).toMatchObject({ status: "in_progress", output: [] });
    resolve();
    let now = begun;
    while (now.status === "in_progress") now = await client.responses.retrieve(begun.id);
    expect(now).toMatchObject({ status: "completed", output: [{ content: [{ text: "Done." }] }] });
    // Cancelling what has ended changes nothing.
    expect((await client.responses.cancel(begun.id)).status).toBe("completed");
  });

  test("a cancelled response stays cancelled, and its model call is closed", async () => {
    const asked = Promise.withResolvers<void>();
    script = () => {
      asked.resolve();
      return { after: new Promise(() => {}) };
    };
    const begun = await client.responses.create({ model: "agent/helper", input: "go", background: true });
    await asked.promise;
    expect((await client.responses.cancel(begun.id)).status).toBe("cancelled");
    await daemon.models.lab.requests.at(-1)?.cut;
    expect((await client.responses.cancel(begun.id)).status).toBe("cancelled");
    expect((await client.responses.retrieve(begun.id)).status).toBe("cancelled");
  });

  test("one that was not made in the background can't be cancelled: 400", async () => {
    say({ text: "Hello." });
    const { id } = await client.responses.create({ model: "agent/helper", input: "hi" });
    expect((await daemon.call("POST", `/v1/responses/${id}/cancel`)).status).toBe(400);
  });
});

test("a failure before the first event has its status; one of a background response is in it", async () => {
  say({ status: 429 });
  const { status } = await daemon.call("POST", "/v1/responses", {
    body: { model: "lab/test-model", input: "hi", stream: true },
  });
  expect(status).toBeGreaterThanOrEqual(429);
  const begun = await client.responses.create({ model: "lab/test-model", input: "hi", background: true });
  let now = begun;
  while (now.status === "in_progress") now = await client.responses.retrieve(begun.id);
  expect(now).toMatchObject({ status: "failed", error: { code: expect.any(String) } });
});

test.each([
  ["agent/nobody", "agent_not_found"],
  ["nobody/model", "model_not_found"],
  ["nobody", "model_not_found"],
])("%s in the background is 404, and nothing is stored", async (model, code) => {
  const { status, body } = await daemon.call("POST", "/v1/responses", {
    body: { model, input: "hi", background: true },
  });
  expect([status, body.error.code]).toEqual([404, code]);
});

const user = (content: unknown) => [{ role: "user", content }];

test.each([
  [{ prompt: { id: "p" } }, "prompt"],
  [{ max_tool_calls: 3 }, "max_tool_calls"],
  [{ truncation: "auto" }, "truncation"],
  [{ service_tier: "flex" }, "service_tier"],
  [{ include: ["message.output_text.logprobs"] }, "include"],
  [{ top_logprobs: 2 }, "top_logprobs"],
  [{ moderation: {} }, "moderation"],
  [{ context_management: [] }, "context_management"],
  [{ text: { verbosity: "low" } }, "text.verbosity"],
  [{ tools: [{ type: "web_search" }] }, "tools[0].type"],
  [{ background: true, stream: true }, "background"],
  [{ background: true, store: false }, "background"],
  [{ previous_response_id: "resp_x", conversation: "c" }, "conversation"],
  [{ input: [{ type: "computer_call_output" }] }, "input[0].type"],
  [{ input: [{ type: "function_call_output", output: "x" }] }, "input[0].call_id"],
  [{ input: [{ type: "item_reference", id: "x" }] }, "input[0].id"],
  [{ input: user([{ type: "input_audio" }]) }, "input[0].content[0].type"],
  [{ input: user([{ type: "input_image", file_id: "f" }]) }, "input[0].content[0].image_url"],
  [{ input: user([{ type: "input_file", file_url: "https://x.example" }]) }, "input[0].content[0].file_data"],
  [
    { input: user([{ type: "input_file", file_data: "data:text/plain;base64,%" }]) },
    "input[0].content[0].file_data",
  ],
])("%j is 400 and names the field", async (fields, param) => {
  for (const model of models) expect(await statusOf({ model, input: "hi", ...fields })).toEqual([400, param]);
});

describe("as a provider, our own door", () => {
  const ask = (model: string, stream: boolean) => {
    const built = findProviderKind("openai")?.build(
      { provider: "p", model, endpoint: `${daemon.url}/v1/responses`, timeoutMs: 60_000, parameters: {} },
      { fetch: (url, init) => fetch(url, init), clock: new FakeClock(), newId },
    );
    if (built === undefined) throw new Error("no provider");
    return readAnswer(built, requestOf("time?", { stream }));
  };

  test.each([true, false])("answers with text and usage (streamed: %p)", async (stream) => {
    say({ text: ["It ", "is ", "noon."] });
    const { text, end } = await ask("agent/helper", stream);
    expect(text).toBe("It is noon.");
    expect(end).toMatchObject({
      finish: "stop",
      usage: { inputTokens: 10, outputTokens: 5, estimated: false },
    });
  });

  test.each([true, false])("asks for a tool of the client (streamed: %p)", async (stream) => {
    say({ toolCalls: [{ name: "locate", arguments: { of: "me" } }] });
    const { calls, end } = await ask("agent/locator", stream);
    expect(calls).toMatchObject([{ name: "locate", input: { of: "me" } }]);
    expect(end?.finish).toBe("tool_calls");
  });
});
