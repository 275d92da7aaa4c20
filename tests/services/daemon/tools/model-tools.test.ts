import { afterAll, beforeAll, expect, test } from "bun:test";
import { agentFile, startDaemon, type TestDaemon } from "../../../support/daemon.ts";
import type { ModelStep } from "../../../support/model-server.ts";

let daemon: TestDaemon;
let answer: ModelStep = { text: "In short." };
const text = "The wall keeps the town dry. ".repeat(40);

beforeAll(async () => {
  daemon = await startDaemon({
    models: { lab: () => answer },
    agents: {
      "clerk.agent.yaml": agentFile("clerk", {
        tools: [
          { name: "text_summarize", type: "builtin" },
          { name: "rag_query", type: "builtin" },
        ],
      }),
    },
  });
});
afterAll(() => daemon[Symbol.asyncDispose]());

const execute = async (tool: string, input: unknown, more: object = {}) =>
  (await daemon.call("POST", "/v1/tools/execute", { body: { tool, input, ...more } })).body;
const costs = async () => (await daemon.call("GET", "/v1/costs/summary?agent=clerk")).body;

test("the catalog lists the 17 built-in tools", async () => {
  const { status, body } = await daemon.call("GET", "/v1/tools/builtin");
  expect([status, body.count, body.tools.length]).toEqual([200, 17, 17]);
  for (const { parameters } of body.tools) expect(parameters).toMatchObject({ type: "object" });
});

test("a text is summarized by the models of the agent that is named, and counted as its usage", async () => {
  answer = { text: "In short." };
  const before = await costs();
  const { output } = await execute("text_summarize", { text }, { agent: "clerk" });
  expect(output).toEqual({
    success: true,
    data: {
      summary: "In short.",
      was_summarized: true,
      original_length: text.length,
      summary_length: 9,
    },
  });
  expect((await costs()).num_calls).toBe(before.num_calls + 1);
  expect(daemon.models.lab.requests.at(-1)?.body.messages.at(-1)).toEqual({ role: "user", content: text });
});

test("a model that fails is a failed result", async () => {
  const before = daemon.models.lab.requests.length;
  answer = { status: 500, body: "{}" };
  const failed = await execute("text_summarize", { text }, { agent: "clerk" });
  expect(failed.output.success).toBeFalse();
  expect(daemon.models.lab.requests.length).toBeGreaterThan(before);
});

test("no model is asked for a short text, or without an agent", async () => {
  const before = daemon.models.lab.requests.length;
  expect((await execute("text_summarize", { text: "Short." })).output).toMatchObject({
    success: true,
    data: { summary: "Short.", was_summarized: false },
  });
  expect((await execute("text_summarize", { text })).output).toEqual({
    success: false,
    error: expect.stringContaining("name an agent that has text_summarize"),
  });
  expect(daemon.models.lab.requests).toHaveLength(before);
});

test.each([
  ["rag_query", { query: "x" }, {}],
  ["rag_query", { query: "x" }, { agent: "clerk" }],
  ["rag_ingest", { document: "x" }, {}],
])("%s says that it has no pipeline", async (tool, input, more) => {
  expect((await execute(tool, input, more)).output).toEqual({
    success: false,
    error: expect.stringContaining("needs a RAG pipeline"),
  });
});

test.each([
  ["web_search", { query: "x" }, "SEARCH_API_KEY"],
  ["web_scrape", { url: "http://127.0.0.1/" }, ""],
  ["encyclopedia", { topic: "x", language: "en/../" }, "language"],
])("%s without an agent is held to its usual options", async (tool, input, error) => {
  expect((await execute(tool, input)).output).toEqual({
    success: false,
    error: expect.stringContaining(error),
  });
});
