import { afterAll, beforeAll, expect, test } from "bun:test";
import { agentFile, startDaemon, type TestDaemon } from "../../../support/daemon.ts";
import type { ModelStep } from "../../../support/model-server.ts";

let daemon: TestDaemon;
let next: ModelStep = {};
const agents = {
  "helper.agent.yaml": agentFile("helper"),
  "keeper.agent.yaml": agentFile("keeper", { observability: { record: true } }),
  "strict.agent.yaml": agentFile("strict", {
    guardrails: { input: [{ type: "pii_detection", action: "redact", entities: ["email"] }] },
  }),
  "desk.agent.yaml": agentFile("desk", {
    tools: [{ name: "ask_helper", type: "agent", config: { agent: "helper" } }],
  }),
  "closed.agent.yaml": agentFile("closed", {
    guardrails: { input: [{ type: "pii_detection", action: "block", entities: ["email"] }] },
  }),
};

beforeAll(async () => {
  daemon = await startDaemon({ models: { lab: () => next }, agents });
});

afterAll(() => daemon[Symbol.asyncDispose]());

async function saidIn(from: TestDaemon, agent: string) {
  const { body } = await from.call("GET", `/v1/traces?agent=${agent}&limit=1`);
  const { input, output } = body.traces[0].spans[0].attributes;
  return { input, output };
}

const nothing = { input: undefined, output: undefined };
const both = { input: "Why?", output: "Because." };

test.each([
  ["helper", undefined, nothing],
  ["helper", false, nothing],
  ["helper", true, both],
  ["keeper", undefined, both],
  ["keeper", false, nothing],
])("the trace of %s with trace_content %p holds %p", async (agent, wanted, expected) => {
  next = { text: "Because." };
  const wish = wanted === undefined ? {} : { trace_content: wanted };
  await daemon.run(agent, { query: "Why?", ...wish });
  expect(await saidIn(daemon, agent)).toEqual(expected);
});

test("a setting of the installation records all agents, and a request still decides", async () => {
  await using all = await startDaemon({
    models: { lab: () => ({ text: "Because." }) },
    agents,
    runtime: JSON.stringify({ spec: { observability: { record: true } } }),
  });
  await all.run("helper", { query: "Why?" });
  expect(await saidIn(all, "helper")).toEqual(both);
  await all.run("helper", { query: "Why?", trace_content: false });
  expect(await saidIn(all, "helper")).toEqual(nothing);
});

test("the trace has the question as the input guardrails changed it; a blocked one is 422", async () => {
  next = { text: "Fine." };
  await daemon.run("strict", { query: "I am ann@example.com", trace_content: true });
  expect(await saidIn(daemon, "strict")).toEqual({ input: "I am [EMAIL]", output: "Fine." });
  const { status } = await daemon.run("closed", { query: "I am ann@example.com", trace_content: true });
  expect(status).toBe(422);
  expect(await saidIn(daemon, "closed")).toEqual(nothing);
});

test.each([
  [undefined, nothing],
  [true, both],
])("an agent that a tool runs alone, with trace_content %p, leaves %p", async (wanted, expected) => {
  next = { text: "Because." };
  const wish = wanted === undefined ? {} : { trace_content: wanted };
  const body = { tool: "ask_helper", agent: "desk", input: { query: "Why?" }, ...wish };
  expect((await daemon.call("POST", "/v1/tools/execute", { body })).body.output.success).toBe(true);
  expect(await saidIn(daemon, "helper")).toEqual(expected);
});

test.each([
  [{}, nothing],
  [{ record: true }, both],
])("a fork with %p leaves %p", async (wish, expected) => {
  next = { text: "Because." };
  const { cassette } = (await daemon.run("helper", { query: "Why?", record: true })).body;
  const body = { from: 0, model: "lab/test-model", ...wish };
  const fork = await daemon.asOwner("POST", `/v1/cassettes/${cassette}/replay`, { body });
  expect(fork.body.mode).toBe("fork");
  expect(await saidIn(daemon, "helper")).toEqual(expected);
});
