import { expect, test } from "bun:test";
import { Value } from "@sinclair/typebox/value";
import { Cassette } from "../../../../src/contracts/daemon/cassettes/cassette-file.ts";
import { entryOfSpan, modelCallOfSpan } from "../../../../src/contracts/daemon/cassettes/recorded-call.ts";
import type { Span, Trace } from "../../../../src/contracts/daemon/runs/run.ts";
import { agentFile, startDaemon, type TestDaemon } from "../../../support/daemon.ts";
import type { ChatBody, ModelScript } from "../../../support/model-server.ts";

const said = ({ messages }: ChatBody) => String(messages.findLast(({ role }) => role === "user")?.content);

/** The lead calls both at once; each answers with its own name. */
const teamScript: ModelScript = ({ body }) => {
  const system = String(body.messages[0]?.content);
  if (!system.includes("lead")) return { text: `Answer to ${said(body)}` };
  if (body.messages.some(({ role }) => role === "tool")) return { text: "All is known." };
  return {
    toolCalls: ["red", "blue"].map((name) => ({ id: name, name, arguments: { query: `What is ${name}?` } })),
  };
};

const team = {
  "lead.agent.yaml": agentFile("lead", {
    prompts: { system: "You are the lead." },
    tools: [
      { name: "red", type: "agent", config: { agent: "red" } },
      { name: "blue", type: "agent", config: { agent: "blue" } },
    ],
    observability: { record: true },
  }),
  "red.agent.yaml": agentFile("red", { observability: { record: true } }),
  "blue.agent.yaml": agentFile("blue", { observability: { record: true } }),
};

async function recorded(daemon: TestDaemon, agent: string): Promise<{ trace: Trace; cassette: Cassette }> {
  const { body } = await daemon.run(agent, { query: "What is known?", record: true });
  const trace = (await daemon.call("GET", `/v1/traces/${body.trace_id}`)).body;
  const found = (await daemon.call("GET", `/v1/cassettes?trace_id=${body.trace_id}`)).body;
  expect(found.cassettes).toMatchObject([{ id: body.trace_id, agent }]);
  const cassette = (await daemon.call("GET", `/v1/cassettes/${found.cassettes[0].id}`)).body;
  expect(Value.Check(Cassette, cassette)).toBe(true);
  return { trace, cassette };
}

const named = ({ spans }: Trace, name: string): Span[] => spans.filter((span) => span.name === name);

test("each model call of a recorded run finds what the model saw and said, also where agents worked at once", async () => {
  await using daemon = await startDaemon({ agents: team, models: { lab: teamScript } });
  const { trace, cassette } = await recorded(daemon, "lead");
  const calls = named(trace, "llm.complete");
  expect(calls).toHaveLength(4);
  for (const span of calls) {
    const call = modelCallOfSpan(cassette, span);
    // `observability.record` writes the same into the span itself.
    expect(call?.request.messages as unknown).toEqual(span.attributes.input);
    expect(call?.answer.text as unknown).toEqual(span.attributes.output);
    expect(call?.answer).toMatchObject({
      provider: "lab",
      model: "test-model",
      usage: { inputTokens: span.attributes.input_tokens },
    });
  }
  const [first] = calls;
  const asked = first && modelCallOfSpan(cassette, first);
  expect(asked?.request.tools.map(({ name }) => name)).toEqual(["red", "blue"]);
  expect(asked?.answer.toolCalls).toMatchObject([{ name: "red" }, { name: "blue" }]);
});

test("each tool call finds its entry, and other spans find none", async () => {
  await using daemon = await startDaemon({ agents: team, models: { lab: teamScript } });
  const { trace, cassette } = await recorded(daemon, "lead");
  const tools = named(trace, "tool.call");
  expect(tools).toHaveLength(2);
  for (const span of tools) {
    expect(entryOfSpan(cassette, span)).toMatchObject({
      kind: "worker",
      request: { tool: span.attributes.tool },
    });
    expect(modelCallOfSpan(cassette, span)).toBeUndefined();
  }
  const [prompt] = named(trace, "prompt_render");
  expect(prompt && entryOfSpan(cassette, prompt)).toBeUndefined();
});

test("a call that failed is found with its error", async () => {
  await using daemon = await startDaemon({ models: { lab: [{ status: 400, body: "{}" }] } });
  const { body } = await daemon.run("helper", { query: "hi", record: true });
  const trace = (await daemon.call("GET", `/v1/traces/${body.cassette}`)).body;
  const cassette = (await daemon.call("GET", `/v1/cassettes/${body.cassette}`)).body;
  const [span] = named(trace, "llm.complete");
  const call = span && modelCallOfSpan(cassette, span);
  expect(call?.request.messages.at(-1)).toEqual({ role: "user", content: "hi" });
  expect(call?.answer).toMatchObject({ text: "", error: { code: expect.any(String) } });
});

test("a run that was not recorded has no cassette, and its spans no numbers", async () => {
  await using daemon = await startDaemon();
  const { body } = await daemon.run("helper", { query: "hi" });
  for (const id of [body.trace_id, "..%2Fsecret"]) {
    expect((await daemon.call("GET", `/v1/cassettes?trace_id=${id}`)).body).toEqual({ cassettes: [] });
  }
  const trace = (await daemon.call("GET", `/v1/traces/${body.trace_id}`)).body;
  for (const { attributes } of trace.spans) expect(attributes).not.toHaveProperty("cassette_entry");
});
