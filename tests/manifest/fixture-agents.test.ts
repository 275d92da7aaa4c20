import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { Value } from "@sinclair/typebox/value";
import { AgentSchema } from "../../src/manifest/agent/agent.ts";
import { modelCandidates } from "../../src/manifest/agent/model.ts";
import { variablesOf } from "../../src/manifest/schema/manifest-kind.ts";
import { parseAgent, parseAgentFile } from "../support/parse-agent.ts";

const folder = new URL("./fixtures/", import.meta.url);
const variables = (name: string) =>
  name.endsWith("URL") ? "redis://cache.example:6379/0" : `https://${name}.example`;

function load(file: string) {
  const text = readFileSync(new URL(file, folder), "utf8");
  return parseAgentFile(text, { file, variables, registries: {} });
}

const files = readdirSync(folder).filter((file) => file.endsWith(".agent.yaml"));

describe("agents that other people wrote", () => {
  test("there are some", () => expect(files.length).toBeGreaterThanOrEqual(12));

  test.each(files)("%s is accepted, and reading it again changes nothing", (file) => {
    const agent = load(file);
    expect(Value.Check(AgentSchema, agent)).toBe(true);
    if (!JSON.stringify(agent).includes("${")) expect(parseAgent(agent, { registries: {} })).toEqual(agent);
  });

  test("other spellings are folded and variables put in", () => {
    const { spec } = load("support-desk.agent.yaml");
    expect(spec.orchestration.timeout_seconds).toBe(30);
    expect(spec.orchestration).not.toHaveProperty("timeout");
    expect(spec.memory.conversational).toEqual({
      backend: "redis",
      strategy: "sliding_window",
      max_turns: 20,
      token_budget: 4000,
      connection: { url: "redis://cache.example:6379/0" },
    });
  });

  test("an alias repeats what its anchor holds", () => {
    const { model } = load("rag-handbook.agent.yaml").spec;
    expect(model && modelCandidates(model).map((candidate) => candidate.provider)).toEqual([
      "llamacpp",
      "hf_tgi",
      "llamacpp",
    ]);
  });

  test("an escaped opening stays as it is", () => {
    expect(load("mcp-developer.agent.yaml").spec.prompts.system).toBe(
      `You help with code. In shell, a variable is \${NAME}.`,
    );
  });

  test("the variables a file reads are known without reading them", () => {
    const text = readFileSync(new URL("mcp-developer.agent.yaml", folder), "utf8");
    expect(variablesOf(text)).toEqual(["PROJECT_DIR", "TICKETS_TOKEN"]);
  });

  test("what is left out has its default", () => {
    expect(load("minimal.agent.yaml")).toEqual({
      apiVersion: "platform/v1",
      kind: "Agent",
      metadata: { name: "minimal", version: "0.1.0", namespace: "default", labels: {} },
      spec: {
        identity: {},
        prompts: { templates: {} },
        orchestration: {
          pattern: "react",
          max_iterations: 10,
          timeout_seconds: 120,
          max_tool_result_tokens: 8000,
          max_run_tokens: null,
        },
        tools: [],
        memory: {},
        guardrails: { input: [], output: [] },
        permissions: {},
        channels: [],
        observability: { tracing: true, sample_rate: 1, record: false },
      },
    });
  });

  test("reading the same file twice gives values that share nothing", () => {
    const one = load("minimal.agent.yaml");
    one.metadata.labels.changed = "yes";
    one.spec.tools.push({} as never);
    expect(load("minimal.agent.yaml").metadata.labels).toEqual({});
    expect(load("minimal.agent.yaml").spec.tools).toEqual([]);
  });
});
