import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import OpenAI, { type APIError } from "openai";
import { agentFile, startDaemon, type TestDaemon } from "../../../support/daemon.ts";
import type { ModelStep } from "../../../support/model-server.ts";

let daemon: TestDaemon;
let client: OpenAI;
let step: ModelStep;

beforeAll(async () => {
  daemon = await startDaemon({
    models: { lab: () => step },
    agents: {
      "helper.agent.yaml": agentFile("helper", {
        tools: [{ name: "datetime_now", type: "builtin" }],
        orchestration: { max_iterations: 2 },
      }),
      "strict.agent.yaml": agentFile("strict", {
        guardrails: { input: [{ type: "max_length", action: "block", max_chars: 20 }] },
      }),
      "broken.agent.yaml": agentFile("broken", { knowledge: { pipeline: "handbook" } }),
    },
  });
  client = new OpenAI({ apiKey: "unused", baseURL: `${daemon.url}/v1`, maxRetries: 0 });
});

// Closes a circuit that one test opened, before the next.
afterEach(() => daemon.clock.advance(60_000));

afterAll(() => daemon[Symbol.asyncDispose]());

const user = (content: string) => ({ role: "user" as const, content });

interface Row {
  what: string;
  model?: string;
  body?: object;
  step?: ModelStep;
  type: new (...args: never[]) => APIError;
  status: number;
  code: string;
  param?: string;
}
const long = user("more than twenty characters");
const rows: Row[] = [
  {
    what: "an unknown agent",
    model: "agent/nobody",
    type: OpenAI.NotFoundError,
    status: 404,
    code: "agent_not_found",
  },
  {
    what: "a name that is neither",
    model: "gpt",
    type: OpenAI.NotFoundError,
    status: 404,
    code: "model_not_found",
  },
  {
    what: "an unknown provider",
    model: "nowhere/m",
    type: OpenAI.NotFoundError,
    status: 404,
    code: "model_not_found",
  },
  {
    what: "a provider named like a method of objects",
    model: "constructor/m",
    type: OpenAI.NotFoundError,
    status: 404,
    code: "model_not_found",
  },
  {
    what: "an agent that could not be loaded",
    model: "agent/broken",
    type: OpenAI.InternalServerError,
    status: 503,
    code: "agent_failed",
  },
  {
    what: "a blocked query",
    model: "agent/strict",
    body: { messages: [long] },
    type: OpenAI.UnprocessableEntityError,
    status: 422,
    code: "guardrail_blocked",
  },
  {
    what: "too many tool calls",
    step: { toolCalls: [{ name: "datetime_now", arguments: {} }] },
    type: OpenAI.UnprocessableEntityError,
    status: 422,
    code: "max_iterations",
  },
  {
    what: "a provider that is down",
    step: { status: 500, body: "" },
    type: OpenAI.InternalServerError,
    status: 503,
    code: "no_provider_available",
  },
  {
    what: "a request that the provider refuses",
    step: { status: 400, body: '{"error":{"message":"Bad temperature."}}' },
    type: OpenAI.BadRequestError,
    status: 400,
    code: "invalid_request",
  },
  {
    what: "content that the provider refuses",
    step: { status: 400, body: '{"error":{"message":"Your prompt was flagged.","code":"content_filter"}}' },
    type: OpenAI.BadRequestError,
    status: 400,
    code: "content_refused",
  },
  {
    what: "tools that the model can't use",
    step: { status: 400, body: '{"error":{"message":"m does not support tools"}}' },
    type: OpenAI.BadRequestError,
    status: 400,
    code: "invalid_request",
  },
  {
    what: "no messages",
    body: { messages: [] },
    type: OpenAI.BadRequestError,
    status: 400,
    code: "invalid_request",
    param: "messages",
  },
  {
    what: "a conversation that the assistant ends",
    body: { messages: [{ role: "assistant", content: "a" }] },
    type: OpenAI.BadRequestError,
    status: 400,
    code: "invalid_request",
    param: "messages",
  },
  {
    what: "an image at an address",
    body: { messages: [{ role: "user", content: [{ type: "image_url", image_url: { url: "a" } }] }] },
    type: OpenAI.BadRequestError,
    status: 400,
    code: "invalid_request",
    param: "messages[0].content[0].image_url.url",
  },
  {
    what: "a tool's answer to no call",
    body: { messages: [{ role: "tool", content: "a" }, user("b")] },
    type: OpenAI.BadRequestError,
    status: 400,
    code: "invalid_request",
    param: "messages[0].tool_call_id",
  },
  {
    what: "a temperature of 3",
    body: { temperature: 3 },
    type: OpenAI.BadRequestError,
    status: 400,
    code: "invalid_request",
    param: "temperature",
  },
  {
    what: "two choices",
    body: { n: 2 },
    type: OpenAI.BadRequestError,
    status: 400,
    code: "invalid_request",
    param: "n",
  },
  {
    what: "a format of answers that is unknown",
    body: { response_format: { type: "xml" } },
    type: OpenAI.BadRequestError,
    status: 400,
    code: "invalid_request",
    param: "response_format",
  },
  {
    what: "log probabilities",
    body: { logprobs: true },
    type: OpenAI.BadRequestError,
    status: 400,
    code: "invalid_request",
    param: "logprobs",
  },
  {
    what: "a forced tool",
    body: { tool_choice: "required" },
    type: OpenAI.BadRequestError,
    status: 400,
    code: "invalid_request",
    param: "tool_choice",
  },
  {
    what: "tools for an agent",
    body: { tools: [{ type: "function", function: { name: "a" } }] },
    type: OpenAI.BadRequestError,
    status: 400,
    code: "invalid_request",
    param: "tools",
  },
  {
    what: "an agent without its tools",
    body: { tool_choice: "none" },
    type: OpenAI.BadRequestError,
    status: 400,
    code: "invalid_request",
    param: "tool_choice",
  },
  {
    what: "an empty user",
    body: { user: "" },
    type: OpenAI.BadRequestError,
    status: 400,
    code: "invalid_request",
    param: "user",
  },
  {
    what: "a session id with a line break",
    body: { metadata: { session_id: "a\nb" } },
    type: OpenAI.BadRequestError,
    status: 400,
    code: "invalid_request",
    param: "metadata.session_id",
  },
  {
    what: "a session id that is null",
    body: { metadata: { session_id: null } },
    type: OpenAI.BadRequestError,
    status: 400,
    code: "invalid_request",
    param: "metadata.session_id",
  },
  {
    what: "metadata that is not text",
    body: { metadata: { k: 5 } },
    type: OpenAI.BadRequestError,
    status: 400,
    code: "invalid_request",
    param: "metadata.k",
  },
  {
    what: "an option of the stream that is null",
    body: { stream_options: { include_usage: null } },
    type: OpenAI.BadRequestError,
    status: 400,
    code: "invalid_request",
    param: "stream_options.include_usage",
  },
];

test.each(rows)("$what: $status $code", async (row) => {
  const { model = "agent/helper", body, type, param = null } = row;
  step = row.step ?? { text: "Fine." };
  for (const stream of [false, true]) {
    const request = { model, messages: [user("hi")], stream, ...body };
    const thrown = await client.chat.completions
      .create(request as OpenAI.ChatCompletionCreateParamsNonStreaming)
      .catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(type);
    expect(thrown).toMatchObject({ status: row.status, code: row.code, param });
    expect((thrown as APIError).type).toBe(row.status < 500 ? "invalid_request_error" : "server_error");
  }
});

test.each([false, true])("a failed run names its trace, with stream: %p", async (stream) => {
  step = { status: 500, body: "" };
  const thrown = await client.chat.completions
    .create({ model: "agent/helper", messages: [user("hi")], stream })
    .catch((error: unknown) => error);
  const { trace_id: id } = (thrown as { error: { trace_id?: string } }).error;
  const { status, body } = await daemon.call("GET", `/v1/traces/${id}`);
  expect([status, body.status]).toEqual([200, "ERROR"]);
});

test("a refusal before the run has no trace", async () => {
  const thrown = await client.chat.completions
    .create({ model: "agent/nobody", messages: [user("hi")] })
    .catch((error: unknown) => error);
  expect((thrown as { error: object }).error).not.toHaveProperty("trace_id");
});

test("what fails after the first token ends the stream with an error", async () => {
  const seen = Promise.withResolvers<void>();
  step = { text: ["one ", "two"], cutAfter: 1, cutWhen: seen.promise };
  const stream = await client.chat.completions.create({
    model: "agent/helper",
    messages: [user("hi")],
    stream: true,
  });
  let text = "";
  const reading = (async () => {
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta.content ?? "";
      if (text !== "") seen.resolve();
    }
  })();
  await expect(reading).rejects.toMatchObject({
    code: "provider_failed",
    error: { trace_id: expect.stringMatching(/./) },
  });
  expect(text).toBe("one ");
});

test("a client that leaves cancels the provider's call", async () => {
  for (const model of ["agent/helper", "lab/test-model"]) {
    step = { text: ["one ", "two"], hold: { afterEvents: 1, until: new Promise(() => {}) } };
    const stream = await client.chat.completions.create({ model, messages: [user("hi")], stream: true });
    for await (const chunk of stream) if (chunk.choices[0]?.delta.content) break;
    await daemon.models.lab.requests.at(-1)?.cut;
  }
});
