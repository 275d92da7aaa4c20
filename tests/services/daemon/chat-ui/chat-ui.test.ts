import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { agentFile, startDaemon, type TestDaemon } from "../../../support/daemon.ts";
import type { RecordedRequest } from "../../../support/model-server.ts";

// What each step of these exchanges sends is what `@ag-ui/client` 1.0.0 and `@ai-sdk/react` 4.0.177 send.

let daemon: TestDaemon;

beforeAll(async () => {
  let calls = 0;
  const model = { primary: { provider: "lab", model: "test-model" } };
  const script = ({ body }: RecordedRequest) => {
    const last = body.messages.at(-1);
    if (last?.role === "tool") return { text: "Done." };
    const [tool] = (body as unknown as { tools?: { function: { name: string } }[] }).tools ?? [];
    if (tool === undefined) return { text: ["Hello ", "there."] };
    return {
      text: "Let me see.",
      toolCalls: [{ id: `m${calls++}`, name: tool.function.name, arguments: {} }],
    };
  };
  const clock = { name: "datetime_now", type: "builtin" };
  daemon = await startDaemon({
    models: { lab: script },
    agents: {
      "plain.agent.yaml": agentFile("plain", { model }),
      "timed.agent.yaml": agentFile("timed", { model, tools: [clock] }),
      "asking.agent.yaml": agentFile("asking", { model, tools: [{ ...clock, requires_approval: true }] }),
      "locating.agent.yaml": agentFile("locating", {
        model,
        tools: [{ name: "locate", type: "client", description: "Where.", parameters: { type: "object" } }],
      }),
    },
  });
});

afterAll(() => daemon[Symbol.asyncDispose]());

// biome-ignore lint/suspicious/noExplicitAny: events of two protocols
type Event = Record<string, any>;

async function events(path: string, body: object): Promise<Event[]> {
  const { status, text } = await daemon.call("POST", `/v1/agents/${path}`, { body });
  expect(status).toBe(200);
  return [...text.matchAll(/^data: (\{.*)$/gm)].map(([, json = ""]) => JSON.parse(json));
}
const typesOf = (all: readonly Event[]) =>
  all.map(({ type }) => type).filter((type, index, types) => type !== types[index - 1]);
/** The conversation that the model server got last, without the agent's instructions. */
const told = () =>
  daemon.models.lab.requests
    .at(-1)
    ?.body.messages.filter(({ role }) => role !== "system")
    .map(({ content }) => content);

const hello = { id: "u", role: "user", content: "Hello" };
const agUi = (agent: string, fields: object = {}) =>
  events(`${agent}/ag-ui`, {
    threadId: "t",
    runId: "r",
    messages: [hello],
    tools: [],
    context: [],
    ...fields,
  });
const useChat = (agent: string, messages: object[]) =>
  events(`${agent}/ui-messages`, { id: "c", messages, trigger: "submit-message" });
const says = { id: "u", role: "user", parts: [{ type: "text", text: "Hello" }] };

describe("AG-UI", () => {
  test("an answer is one message between the start and the end of the run", async () => {
    const all = await agUi("plain", { state: { page: 7 } });
    expect(typesOf(all)).toEqual([
      "RUN_STARTED",
      "STATE_SNAPSHOT",
      "TEXT_MESSAGE_START",
      "TEXT_MESSAGE_CONTENT",
      "TEXT_MESSAGE_END",
      "RUN_FINISHED",
    ]);
    expect(all.map(({ delta }) => delta ?? "").join("")).toBe("Hello there.");
    expect(all.at(-1)).toEqual({
      type: "RUN_FINISHED",
      threadId: "t",
      runId: "r",
      outcome: { type: "success" },
    });
    expect(JSON.stringify(daemon.models.lab.requests.at(-1)?.body)).toContain('{\\"page\\":7}');
  });

  test("the client's messages are the conversation", async () => {
    const earlier = [
      hello,
      { id: "a", role: "assistant", content: "Hello there." },
      { id: "x", role: "activity", content: { shown: true } },
    ];
    await agUi("plain", { messages: [...earlier, { id: "v", role: "user", content: "Again" }] });
    expect(told()).toEqual(["Hello", "Hello there.", "Again"]);
  });

  test("the agent's own calls are shown with their results", async () => {
    const all = await agUi("timed");
    const shown = all.filter(({ type }) => type.startsWith("TOOL_CALL"));
    expect(typesOf(shown)).toEqual([
      "TOOL_CALL_START",
      "TOOL_CALL_ARGS",
      "TOOL_CALL_END",
      "TOOL_CALL_RESULT",
    ]);
    expect(new Set(shown.map(({ toolCallId }) => toolCallId)).size).toBe(1);
  });

  test("a call of a client tool ends the run, and the client's tool message resumes it once", async () => {
    const tools = [{ name: "locate", description: "Where.", parameters: {} }];
    const all = await agUi("locating", { tools });
    expect(all.at(-1)).toMatchObject({ type: "RUN_FINISHED", outcome: { type: "success" } });
    const start = all.find(({ type }) => type === "TOOL_CALL_START");
    const result = { id: "t", role: "tool", toolCallId: start?.toolCallId, content: "Lisbon" };
    const rest = await agUi("locating", { messages: [hello, result] });
    expect(typesOf(rest)).not.toContain("TOOL_CALL_RESULT");
    expect(rest.map(({ delta }) => delta ?? "").join("")).toContain("Done.");
    const again = await daemon.call("POST", "/v1/agents/locating/ag-ui", {
      body: { threadId: "t", runId: "r", messages: [hello, result] },
    });
    expect(again.status).toBe(409);
  });

  test.each([
    ["resolved", { approved: true }, true],
    ["resolved", { approved: false, comment: "Not now." }, false],
    ["cancelled", undefined, false],
  ])("an approval is an interrupt, which %s %j decides", async (status, payload, isCarriedOut) => {
    const all = await agUi("asking");
    const [interrupt] = all.at(-1)?.outcome.interrupts ?? [];
    const start = all.find(({ type }) => type === "TOOL_CALL_START");
    expect(interrupt).toMatchObject({ reason: "tool_call", toolCallId: start?.toolCallId });
    const resume = [{ interruptId: interrupt.id, status, payload }];
    const rest = await agUi("asking", { resume });
    const result = rest.find(({ type }) => type === "TOOL_CALL_RESULT");
    expect(result?.toolCallId).toBe(start?.toolCallId);
    expect(result?.content.includes("unix_timestamp")).toBe(isCarriedOut);
    const body = { threadId: "t", runId: "r", messages: [], resume };
    expect((await daemon.call("POST", "/v1/agents/asking/ag-ui", { body })).status).toBe(409);
    // Another agent's approval is none.
    expect((await daemon.call("POST", "/v1/agents/timed/ag-ui", { body })).status).toBe(404);
  });

  test.each([
    [{ tools: [{ name: "rm" }] }, "tools[0].name"],
    [{ messages: [{ role: "robot", content: "x" }] }, "messages[0].role"],
    [{ messages: [{ role: "tool", content: "x" }] }, "messages[0].toolCallId"],
    [{ messages: [{ role: "user", content: [{ type: "video" }] }] }, "messages[0].content[0].type"],
    [
      {
        messages: [
          { role: "user", content: [{ type: "image", source: { type: "url", value: "https://x" } }] },
        ],
      },
      "messages[0].content[0].source",
    ],
    [{ messages: [] }, "messages"],
  ])("%j is 400 and names the field", async (fields, path) => {
    const body = { threadId: "t", runId: "r", messages: [hello], ...fields };
    const answer = await daemon.call("POST", "/v1/agents/plain/ag-ui", { body });
    expect([answer.status, answer.body.problems?.[0]?.path]).toEqual([400, path]);
  });

  test.each([
    ["no payload", {}, "resume[0].payload.approved"],
    [
      "a long comment",
      { payload: { approved: true, comment: "x".repeat(4097) } },
      "resume[0].payload.comment",
    ],
  ])("a decision with %s is 400 and names the field", async (_, more, path) => {
    const [interrupt] = (await agUi("asking")).at(-1)?.outcome.interrupts ?? [];
    const resume = [{ interruptId: interrupt.id, status: "resolved", ...more }];
    const body = { threadId: "t", runId: "r", messages: [], resume };
    const answer = await daemon.call("POST", "/v1/agents/asking/ag-ui", { body });
    expect([answer.status, answer.body.problems?.[0]?.path]).toEqual([400, path]);
  });
});

describe("UI messages of the AI SDK", () => {
  test("an answer is one text in one step", async () => {
    const all = await useChat("plain", [says]);
    expect(typesOf(all)).toEqual([
      "start",
      "start-step",
      "text-start",
      "text-delta",
      "text-end",
      "finish-step",
      "finish",
    ]);
    expect(all.map(({ delta }) => delta ?? "").join("")).toBe("Hello there.");
    expect(all[0]?.messageId).toBeString();
  });

  test("the stream says what it is, and ends as the client expects", async () => {
    const body = { id: "c", messages: [says] };
    const answer = await daemon.call("POST", "/v1/agents/plain/ui-messages", { body });
    expect(answer.headers.get("x-vercel-ai-ui-message-stream")).toBe("v1");
    expect(answer.text.endsWith("data: [DONE]\n\n")).toBe(true);
  });

  test("earlier calls and their results are part of the conversation, and parts for the interface are not", async () => {
    const call = { toolName: "datetime_now", toolCallId: "m", input: {}, state: "output-available" };
    await useChat("plain", [
      says,
      {
        role: "assistant",
        parts: [
          { type: "step-start" },
          { type: "data-note", data: 1 },
          { type: "dynamic-tool", ...call, output: "noon" },
          { type: "text", text: "Noon." },
        ],
      },
      { role: "user", parts: [{ type: "text", text: "Again" }] },
    ]);
    expect(told()?.filter(Boolean)).toEqual(["Hello", "noon", "Noon.", "Again"]);
  });

  test("a call of a client tool waits for its output, which continues the same message", async () => {
    const all = await useChat("locating", [says]);
    const call = all.find(({ type }) => type === "tool-input-available");
    expect(call).not.toHaveProperty("providerExecuted");
    const { toolCallId, toolName, input } = call ?? {};
    const part = { type: "dynamic-tool", toolCallId, toolName, input };
    const answered = { ...part, state: "output-available", output: "Lisbon" };
    const rest = await useChat("locating", [says, { role: "assistant", parts: [answered] }]);
    expect(rest[0]).toEqual({ type: "start" });
    expect(rest.map(({ delta }) => delta ?? "").join("")).toContain("Done.");
  });

  test.each([true, false])("an approval is asked for, and the answer %p decides", async (approved) => {
    const all = await useChat("asking", [says]);
    const asked = all.find(({ type }) => type === "tool-approval-request");
    const part = { type: "dynamic-tool", toolName: "datetime_now", toolCallId: asked?.toolCallId, input: {} };
    const approval = { id: asked?.approvalId, approved };
    const parts = [{ ...part, state: "approval-responded", approval }];
    const rest = await useChat("asking", [says, { role: "assistant", parts }]);
    const result = rest.find(({ toolCallId }) => toolCallId === asked?.toolCallId);
    expect(result?.type).toBe(approved ? "tool-output-available" : "tool-output-error");
  });

  test.each([
    [[{ role: "user", parts: [{ type: "file", mediaType: "video/mp4", url: "data:" }] }], "mediaType"],
    [[{ role: "user", parts: [{ type: "hologram" }] }], "type"],
    [[{ role: "assistant", parts: [{ type: "tool-x", state: "output-available" }] }], "toolCallId"],
  ])("%j is 400 and names the field", async (messages, field) => {
    const answer = await daemon.call("POST", "/v1/agents/plain/ui-messages", { body: { id: "c", messages } });
    expect([answer.status, answer.body.problems?.[0]?.path]).toEqual([400, `messages[0].parts[0].${field}`]);
  });
});

test.each(["ag-ui", "ui-messages"])("an agent that isn't there is 404 for %s", async (protocol) => {
  const body = { threadId: "t", runId: "r", id: "c", messages: [{ ...hello, ...says }] };
  const { status } = await daemon.call("POST", `/v1/agents/nobody/${protocol}`, { body });
  expect(status).toBe(404);
});
