import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import OpenAI from "openai";
import { startDaemon, type TestDaemon } from "../../../support/daemon.ts";
import { startThinkingServer, type ThinkingServer } from "../../../support/thinking-server.ts";

/*
 * Models that refuse the results of their tool calls without the thoughts before them, behind the door: each stand-in checks what its
 * vendor's documents say that it checks.
 */

let daemon: TestDaemon;
let server: ThinkingServer;
let client: OpenAI;

beforeAll(async () => {
  server = startThinkingServer();
  daemon = await startDaemon();
  for (const [name, type] of [
    ["deepseek", "vllm"],
    ["claude", "anthropic"],
    ["gemini", "vllm"],
    ["router", "vllm"],
  ]) {
    const body = { type, endpoint: `${server.url}/${name}`, api_key: "test-key-of-the-provider" };
    const { status, text } = await daemon.asOwner("PUT", `/v1/system/providers/${name}`, { body });
    if (status !== 200) throw new Error(text);
  }
  client = new OpenAI({ apiKey: "unused", baseURL: `${daemon.url}/v1`, maxRetries: 0 });
});

afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
  server.stop();
});

type Messages = OpenAI.ChatCompletionMessageParam[];
// biome-ignore lint/suspicious/noExplicitAny: the fields beyond OpenAI's own.
type AnyMessage = any;

const question: Messages = [{ role: "user", content: "What is the weather in Paris?" }];
const tools: OpenAI.ChatCompletionTool[] = [
  {
    type: "function",
    function: {
      name: "weather",
      parameters: { type: "object", properties: { city: { type: "string" } } },
    },
  },
];

/** The assistant's message with its calls, read in one piece or joined from a stream. */
async function turn(model: string, messages: Messages, stream: boolean): Promise<AnyMessage> {
  if (!stream) {
    const { choices } = await client.chat.completions.create({ model, messages, tools });
    return choices[0]?.message;
  }
  const joined: AnyMessage = { role: "assistant", content: null };
  for await (const chunk of await client.chat.completions.create({ model, messages, tools, stream: true })) {
    const delta: AnyMessage = chunk.choices[0]?.delta ?? {};
    if (delta.content) joined.content = (joined.content ?? "") + delta.content;
    if (delta.reasoning_content)
      joined.reasoning_content = (joined.reasoning_content ?? "") + delta.reasoning_content;
    if (delta.reasoning_details)
      joined.reasoning_details = [...(joined.reasoning_details ?? []), ...delta.reasoning_details];
    for (const { index, ...call } of delta.tool_calls ?? []) {
      joined.tool_calls ??= [];
      joined.tool_calls[index] = { ...joined.tool_calls[index], ...call };
    }
  }
  return joined;
}

/** The same turn from a client that knows the fields of OpenAI's own API only. */
const plain = ({ role, content, tool_calls }: AnyMessage): AnyMessage => ({
  role,
  content,
  tool_calls: tool_calls.map(({ id, type, function: called }: AnyMessage) => ({
    id,
    type,
    function: called,
  })),
});

const resultOf = ({ tool_calls }: AnyMessage): Messages =>
  tool_calls.map(({ id }: AnyMessage) => ({ role: "tool", tool_call_id: id, content: "Sunny." }));

const models = ["deepseek/m", "claude/m", "gemini/m", "router/m"];

describe.each(models)("%s", (model) => {
  test.each([false, true])("a client that drops thoughts gets its answer (stream: %p)", async (stream) => {
    const called = await turn(model, question, stream);
    const answer = await turn(model, [...question, plain(called), ...resultOf(called)], stream);
    expect(answer.content).toBe("It is sunny.");
  });

  test.each([false, true])(
    "a client that brings thoughts back needs no memory (stream: %p)",
    async (stream) => {
      const called = await turn(model, question, stream);
      const elsewhere: Messages = [{ role: "user", content: `Hello, ${stream}.` }, ...question];
      const brought = [...elsewhere, called, ...resultOf(called)];
      expect((await turn(model, brought, stream)).content).toBe("It is sunny.");
      const dropped = [...elsewhere, plain(called), ...resultOf(called)];
      const refused = await turn(model, dropped, stream).catch((thrown) => thrown);
      expect(refused).toMatchObject({ status: 400, type: "invalid_request_error" });
    },
  );

  test("the thoughts are streamed before the call", async () => {
    const order: string[] = [];
    const stream = await client.chat.completions.create({ model, messages: question, tools, stream: true });
    for await (const { choices } of stream) {
      const delta: AnyMessage = choices[0]?.delta ?? {};
      for (const field of ["reasoning_content", "tool_calls"]) if (delta[field]) order.push(field);
    }
    expect(order.slice(0, 2)).toEqual(
      model === "gemini/m" ? ["tool_calls", "tool_calls"] : ["reasoning_content", "tool_calls"],
    );
  });
});

describe.each(models)("responses of %s", (model) => {
  const responseTools: OpenAI.Responses.Tool[] = [
    {
      type: "function",
      name: "weather",
      parameters: { type: "object", properties: { city: { type: "string" } } },
      strict: false,
    },
  ];

  test.each([false, true])("items that come back carry the thoughts (encrypted: %p)", async (encrypted) => {
    const include: OpenAI.Responses.ResponseIncludable[] = encrypted ? ["reasoning.encrypted_content"] : [];
    const input: OpenAI.Responses.ResponseInput = [
      { role: "user", content: `In turn ${encrypted}.` },
      { role: "user", content: "What is the weather in Paris?" },
    ];
    const request = { model, tools: responseTools, include, store: false };
    const { output } = await client.responses.create({ ...request, input });
    const call = output.find((item) => item.type === "function_call");
    // Another beginning: nothing is kept for this conversation.
    const next: OpenAI.Responses.ResponseInput = [
      { role: "user", content: "Hello." },
      ...(input as OpenAI.Responses.ResponseInputItem[]),
      ...(output as OpenAI.Responses.ResponseInputItem[]),
      { type: "function_call_output", call_id: call?.call_id ?? "", output: "Sunny." },
    ];
    const answer = await client.responses.create({ ...request, input: next }).catch((thrown) => thrown);
    // DeepSeek needs the text alone, the others what only `encrypted_content` has.
    if (encrypted || model === "deepseek/m") expect(answer.output_text).toBe("It is sunny.");
    else expect(answer).toMatchObject({ status: 400 });
  });

  test("a stored response is continued with its thoughts", async () => {
    const first = await client.responses.create({
      model,
      tools: responseTools,
      input: "What is the weather in Paris?",
    });
    const call = first.output.find((item) => item.type === "function_call");
    const second = await client.responses.create({
      model,
      tools: responseTools,
      previous_response_id: first.id,
      input: [{ type: "function_call_output", call_id: call?.call_id ?? "", output: "Sunny." }],
    });
    expect(second.output_text).toBe("It is sunny.");
  });
});
