import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { HttpAgent } from "@ag-ui/client";
import { createOpenAI } from "@ai-sdk/openai";
import { Chat } from "@ai-sdk/react";
import { Agent, OpenAIProvider, Runner, tool } from "@openai/agents";
import {
  tool as aiTool,
  DefaultChatTransport,
  generateText,
  isStepCount,
  jsonSchema,
  lastAssistantMessageIsCompleteWithToolCalls,
  Output,
  streamText,
} from "ai";
import OpenAI from "openai";
import { agentFile, startDaemon, type TestDaemon } from "../../../support/daemon.ts";
import type { ModelStep, RecordedRequest } from "../../../support/model-server.ts";

/* Programs of others, with the clients that their makers publish: what they see of an agent is what its users see. */

let daemon: TestDaemon;
let script: (request: RecordedRequest) => ModelStep;
const hasResult = ({ body }: RecordedRequest) => body.messages.at(-1)?.role === "tool";

beforeAll(async () => {
  const model = { primary: { provider: "lab", model: "test-model" } };
  const clock = { name: "datetime_now", type: "builtin" };
  daemon = await startDaemon({
    models: { lab: (request) => script(request) },
    agents: {
      "plain.agent.yaml": agentFile("plain", { model }),
      "asking.agent.yaml": agentFile("asking", { model, tools: [{ ...clock, requires_approval: true }] }),
      "locating.agent.yaml": agentFile("locating", {
        model,
        tools: [{ name: "locate", type: "client", description: "Where.", parameters: { type: "object" } }],
      }),
    },
  });
});
afterAll(() => daemon[Symbol.asyncDispose]());

const answering = (step: ModelStep) => {
  script = () => step;
};
/** The model calls the tool once and tells its result. */
const calling = (name: string, args: object = {}) => {
  let calls = 0;
  script = (request) =>
    hasResult(request)
      ? { text: `It is ${String(request.body.messages.at(-1)?.content)}.` }
      : { toolCalls: [{ id: `c${calls++}`, name, arguments: args as Record<string, unknown> }] };
};

const parameters = {
  type: "object" as const,
  properties: { city: { type: "string" as const } },
  required: ["city"],
  additionalProperties: false as const,
};

describe("the Agents SDK of OpenAI, on its default API", () => {
  const runner = () => {
    const openAIClient = new OpenAI({ apiKey: "unused", baseURL: `${daemon.url}/v1`, maxRetries: 0 });
    return new Runner({ modelProvider: new OpenAIProvider({ openAIClient }), tracingDisabled: true });
  };

  test("an agent of ours answers", async () => {
    answering({ text: "It is noon." });
    const agent = new Agent({ name: "clock", instructions: "Be short.", model: "agent/plain" });
    expect((await runner().run(agent, "time?")).finalOutput).toBe("It is noon.");
  });

  test("its own tool is called with what the model asked for, and the result goes back", async () => {
    calling("weather", { city: "Lima" });
    const cities: unknown[] = [];
    const weather = tool({
      name: "weather",
      description: "Now.",
      parameters: { ...parameters, required: ["city"] },
      strict: true,
      execute: (input) => {
        cities.push(input);
        return "sunny";
      },
    });
    const agent = new Agent({ name: "weather", model: "lab/test-model", tools: [weather] });
    const { finalOutput } = await runner().run(agent, "How is Lima?");
    expect([finalOutput, cities]).toEqual(["It is sunny.", [{ city: "Lima" }]]);
  });

  test("a stream brings the text, and a later run goes on from its response", async () => {
    answering({ text: ["It ", "is ", "noon."] });
    const agent = new Agent({ name: "clock", model: "agent/plain" });
    const streamed = await runner().run(agent, "time?", { stream: true });
    const pieces = await Array.fromAsync(streamed.toTextStream());
    await streamed.completed;
    expect(pieces.join("")).toBe("It is noon.");
    const previousResponseId = streamed.lastResponseId;
    if (previousResponseId === undefined) throw new Error("no response");
    await runner().run(agent, "And now?", { previousResponseId });
    const told = daemon.models.lab.requests.at(-1)?.body.messages.map(({ content }) => content);
    expect(told?.slice(-3)).toEqual(["time?", "It is noon.", "And now?"]);
  });
});

describe("the AI SDK, with the OpenAI provider's default API", () => {
  const model = (id: string) => createOpenAI({ apiKey: "unused", baseURL: `${daemon.url}/v1` })(id);

  test("an agent of ours answers, with its usage", async () => {
    answering({ text: "It is noon." });
    const { text, usage } = await generateText({
      model: model("agent/plain"),
      prompt: "time?",
      maxRetries: 0,
    });
    expect([text, usage.inputTokens, usage.outputTokens]).toEqual(["It is noon.", 10, 5]);
  });

  test("a stream brings the text", async () => {
    answering({ text: ["It ", "is ", "noon."] });
    const { textStream } = streamText({ model: model("agent/plain"), prompt: "time?", maxRetries: 0 });
    expect((await Array.fromAsync(textStream)).join("")).toBe("It is noon.");
  });

  test("a tool of the program is called and its result told", async () => {
    calling("weather", { city: "Lima" });
    const { text } = await generateText({
      model: model("lab/test-model"),
      prompt: "How is Lima?",
      maxRetries: 0,
      stopWhen: isStepCount(3),
      tools: {
        weather: aiTool({ inputSchema: jsonSchema<{ city: string }>(parameters), execute: () => "sunny" }),
      },
    });
    expect(text).toContain("sunny");
  });

  test("an answer with a schema is an object", async () => {
    answering({ text: '{"city":"Lima"}' });
    const { output } = await generateText({
      model: model("lab/test-model"),
      prompt: "Where?",
      maxRetries: 0,
      output: Output.object({ schema: jsonSchema<{ city: string }>(parameters) }),
    });
    expect(output).toEqual({ city: "Lima" });
  });
});

describe("useChat of @ai-sdk/react, without glue", () => {
  const chatWith = (agent: string) =>
    new Chat({
      transport: new DefaultChatTransport({ api: `${daemon.url}/v1/agents/${agent}/ui-messages` }),
      sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls,
    });
  const textOf = (chat: ReturnType<typeof chatWith>) =>
    chat.lastMessage?.parts.map((part) => (part.type === "text" ? part.text : "")).join("");

  test("a message is answered, and the conversation goes on", async () => {
    const chat = chatWith("plain");
    answering({ text: ["It ", "is ", "noon."] });
    await chat.sendMessage({ text: "time?" });
    await chat.sendMessage({ text: "And now?" });
    expect([chat.status, chat.messages.length, textOf(chat)]).toEqual(["ready", 4, "It is noon."]);
    expect(daemon.models.lab.requests.at(-1)?.body.messages.at(-1)?.content).toBe("And now?");
  });

  test("a client tool is answered by the page, and the run goes on by itself", async () => {
    const chat = chatWith("locating");
    calling("locate");
    await chat.sendMessage({ text: "Where am I?" });
    const part = chat.lastMessage?.parts.find(({ type }) => type.includes("tool"));
    if (part === undefined || !("toolCallId" in part)) throw new Error("no call");
    await chat.addToolOutput({ tool: "locate", toolCallId: part.toolCallId, output: "Lisbon" });
    await expectSoon(() => textOf(chat)?.includes("Lisbon") === true && chat.status === "ready");
  });

  test("a failed run is an error that says why", async () => {
    const chat = chatWith("nobody");
    await chat.sendMessage({ text: "Hello" });
    expect([chat.status, chat.error?.message]).toEqual(["error", expect.stringContaining("nobody")]);
  });
});

describe("HttpAgent of @ag-ui/client", () => {
  const agentAt = (name: string) => new HttpAgent({ url: `${daemon.url}/v1/agents/${name}/ag-ui` });

  test("a message is answered", async () => {
    const agent = agentAt("plain");
    answering({ text: ["It ", "is ", "noon."] });
    agent.addMessage({ id: "u", role: "user", content: "time?" });
    const { newMessages } = await agent.runAgent({ runId: "r1" });
    expect(newMessages.map(({ role, content }) => [role, content])).toEqual([["assistant", "It is noon."]]);
  });

  test("a client tool's result resumes the run", async () => {
    const agent = agentAt("locating");
    calling("locate");
    agent.addMessage({ id: "u", role: "user", content: "Where am I?" });
    const tools = [{ name: "locate", description: "Where.", parameters: {} }];
    const { newMessages } = await agent.runAgent({ runId: "r1", tools });
    const call = newMessages.flatMap((message) =>
      message.role === "assistant" ? (message.toolCalls ?? []) : [],
    )[0];
    if (call === undefined) throw new Error("no call");
    agent.addMessage({ id: "t", role: "tool", toolCallId: call.id, content: "Lisbon" });
    const second = await agent.runAgent({ runId: "r2", tools });
    expect(second.newMessages.at(-1)?.content).toBe("It is Lisbon.");
  });
});

/** Waits in turns of the event loop for what a client does on its own. */
async function expectSoon(isTrue: () => boolean): Promise<void> {
  for (let turn = 0; turn < 10_000 && !isTrue(); turn++)
    await new Promise((resolve) => setImmediate(resolve));
  expect(isTrue()).toBe(true);
}
