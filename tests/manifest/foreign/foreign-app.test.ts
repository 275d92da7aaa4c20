import { expect, test } from "bun:test";
import { builtRegistries } from "../../../src/engine/agents/manifest-registries.ts";
import { atOnce } from "../../../src/kit/concurrency/others-turn.ts";
import { agentKind } from "../../../src/manifest/agent/agent-kind.ts";
import { nameOfAppFile, readForeignApp } from "../../../src/manifest/foreign/foreign-app.ts";
import { inspectFile } from "../../../src/manifest/yaml/inspect-file.ts";
import { writeYaml } from "../../../src/manifest/yaml/write-yaml.ts";

const read = (value: unknown, name = "given") => readForeignApp(JSON.stringify(value), name);
const problemsOf = (document: unknown) =>
  inspectFile(agentKind(builtRegistries()), atOnce(writeYaml(document)), { variables: () => "set" }).problems;

const dify = (more: object = {}, mode = "agent-chat") => ({
  app: { name: "Order Désk", mode, description: "Answers." },
  kind: "app",
  version: "0.3.0",
  model_config: {
    model: {
      provider: "langgenius/openai/openai",
      name: "gpt-4o",
      completion_params: { temperature: 0.2, stop: [], seed: 4 },
    },
    pre_prompt: "Be kind to {{customer}}.",
    agent_mode: {
      enabled: true,
      max_iteration: 5,
      tools: [
        { tool_name: "current_time", enabled: true },
        { tool_name: "google_search", enabled: true },
      ],
    },
    opening_statement: "Hello!",
    suggested_questions: [],
    retriever_resource: { enabled: true },
    speech_to_text: { enabled: false },
    ...more,
  },
});

test("an app of Dify becomes an agent, with a list of what was left out", () => {
  const app = read(dify());
  expect(app?.document).toMatchObject({
    metadata: { name: "order-de-sk" },
    spec: {
      identity: { display_name: "Order Désk", description: "Answers." },
      model: { primary: { provider: "openai", model: "gpt-4o", parameters: { temperature: 0.2 } } },
      prompts: { system: "Be kind to {{customer}}." },
      orchestration: { pattern: "react", max_iterations: 5 },
      tools: [{ name: "datetime_now", type: "builtin" }],
    },
  });
  expect(app?.leftOut.map(({ path }) => path)).toEqual([
    "model_config.agent_mode.tools[1]",
    "model_config.opening_statement",
    "model_config.retriever_resource",
    "model_config.model.completion_params.stop",
    "model_config.model.completion_params.seed",
  ]);
  expect(problemsOf(app?.document)).toEqual([]);
});

test.each(["workflow", "advanced-chat", "x"])("Dify's mode %s is refused", (mode) => {
  expect(() => read(dify({}, mode))).toThrow("graph of steps");
});

const node = (name: string, category: string, inputs: object = {}) => ({
  id: name,
  data: { name, category, inputs },
});
const flowise = (...nodes: object[]) => ({ nodes, edges: [] });
const model = node("chatOpenAI", "Chat Models", {
  modelName: "gpt-4o-mini",
  temperature: "0.5",
  basepath: "https://x.example",
  cache: "{{c.data}}",
});

test("a chatflow of Flowise becomes an agent, with a list of what was left out", () => {
  const app = read(
    flowise(
      model,
      node("toolAgent", "Agents", { systemMessage: "Help.", maxIterations: "7" }),
      node("bufferWindowMemory", "Memory", { k: "4" }),
      node("serper", "Tools"),
    ),
    "desk",
  );
  expect(app?.document).toMatchObject({
    metadata: { name: "desk" },
    spec: {
      model: { primary: { provider: "openai", model: "gpt-4o-mini", parameters: { temperature: 0.5 } } },
      prompts: { system: "Help." },
      orchestration: { max_iterations: 7 },
      memory: { conversational: { strategy: "sliding_window", max_turns: 4 } },
    },
  });
  expect(app?.leftOut.map(({ path }) => path)).toEqual(["nodes[3]", "nodes[0].data.inputs.basepath"]);
  expect(problemsOf(app?.document)).toEqual([]);
});

test.each([
  ["two models", flowise(model, model, node("toolAgent", "Agents"))],
  ["no agent", flowise(model)],
  ["two agents", flowise(model, node("toolAgent", "Agents"), node("toolAgent", "Agents"))],
  ["an agent flow", flowise(model, node("toolAgent", "Agents"), node("seqAgent", "Sequential Agents"))],
  ["nothing", flowise()],
])("a chatflow with %s is refused", (_, flow) => {
  expect(() => read(flow)).toThrow("one agent or chain and one chat model");
});

test("langgraph.json is refused: it names code", () => {
  expect(() => read({ dependencies: ["."], graphs: { desk: "./a.py:graph" } })).toThrow("names code (desk)");
});

test.each([
  ["an agent of ours", { kind: "Agent", metadata: { name: "a" }, spec: {} }],
  ["a list", [1]],
  ["a text", "x"],
  ["nodes without edges", { nodes: [] }],
  ["an app that is none", { app: "x" }],
])("%s is not an app", (_, value) => {
  expect(read(value)).toBeUndefined();
});

test("odd values make no odd agent", () => {
  const app = read({
    app: { name: 7, mode: "chat" },
    model_config: {
      model: { name: {}, completion_params: [] },
      agent_mode: { enabled: true, max_iteration: "x", tools: "y" },
      pre_prompt: 3,
    },
  });
  expect(problemsOf(app?.document)).toEqual([]);
  expect(
    problemsOf(
      read(
        flowise(
          node("chatOpenAI", "Chat Models", { modelName: [], temperature: "x" }),
          node("llmChain", "Chains", { systemMessagePrompt: {} }),
        ),
      )?.document,
    ),
  ).toEqual([]);
});

test.each([
  ["/a/My Flow.json", "my-flow"],
  ["...", "imported"],
])("the file %s gives the name %s", (path, name) => {
  expect(nameOfAppFile(path)).toBe(name);
});
