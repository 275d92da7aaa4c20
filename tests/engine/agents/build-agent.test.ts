import { describe, expect, test } from "bun:test";
import { buildAgent } from "../../../src/engine/agents/build-agent.ts";
import { createBreakers } from "../../../src/engine/models/breakers.ts";
import { createTemplateCompiler } from "../../../src/engine/templates/template-compiler.ts";
import { createMemoryCache } from "../../../src/engine/tools/tool-cache.ts";
import { AppError } from "../../../src/kit/app-error.ts";
import { newId } from "../../../src/kit/id.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { parseAgent } from "../../support/parse-agent.ts";
import { memoryConversations } from "../../support/staged-run.ts";
import { toolPorts } from "../../support/tool-ports.ts";

const rehearsal = { primary: { provider: "rehearsal", model: "rehearsal" } };

/** Builds any agent that the manifest's own schema accepts, even if this version cannot run it. */
function build(spec: Record<string, unknown>) {
  const clock = new FakeClock();
  const templates = {
    compile: createTemplateCompiler().compile,
    renderUntrusted: () => Promise.reject(new Error("not used")),
    close() {},
  };
  const manifest = parseAgent(
    {
      apiVersion: "platform/v1",
      kind: "Agent",
      metadata: { name: "built" },
      spec: { model: rehearsal, ...spec },
    },
    { registries: {} },
  );
  return buildAgent(manifest, {
    sender: "file",
    registries: {},
    templates,
    models: { sources: { variable: () => undefined }, ports: { fetch, clock, newId } },
    breakers: createBreakers(clock),
    tools: toolPorts({ templates, cache: createMemoryCache(clock), clock }),
    conversationsOf: memoryConversations,
    clock,
    priceOf: () => undefined,
    modelCalled: () => {},
  });
}

function faultPaths(spec: Record<string, unknown>): string[] {
  try {
    build(spec);
    return [];
  } catch (thrown) {
    if (!(thrown instanceof AppError)) throw thrown;
    expect(thrown.code).toBe("invalid_manifest");
    return (thrown.details.problems ?? []).map(({ path }) => path);
  }
}

test("what a manifest leaves out has its default", () => {
  const agent = build({});
  expect(agent).toMatchObject({
    name: "built",
    description: "",
    maxIterations: 10,
    timeoutMs: 120_000,
    maxToolResultTokens: 8000,
    answerTokens: 1024,
    toolTokens: 0,
    toolSpecs: [],
    memory: { strategy: { name: "sliding_window", turnsMax: 50 } },
    tracing: { enabled: true, sampleRate: 1, recordContent: false },
    pattern: { name: "react" },
  });
  expect([agent.inputGuardrails.length, agent.outputGuardrails.length]).toEqual([0, 0]);
});

test("what a manifest says is what runs", () => {
  const agent = build({
    identity: { description: "Does things." },
    model: { primary: { ...rehearsal.primary, parameters: { max_tokens: 77 } } },
    orchestration: { max_iterations: 3, timeout: 5, max_tool_result_tokens: 9 },
    tools: [{ name: "datetime_now", type: "builtin", description: "The clock." }],
    memory: { conversational: { strategy: "token_budget", token_budget: 10, max_messages: 4 } },
    guardrails: { input: [{ type: "max_length", max_chars: 1 }], output: [{ type: "pii_detection" }] },
    observability: { tracing: false, sample_rate: 0.5, record: true },
  });
  expect(agent).toMatchObject({
    description: "Does things.",
    maxIterations: 3,
    timeoutMs: 5000,
    maxToolResultTokens: 9,
    answerTokens: 77,
    toolSpecs: [{ name: "datetime_now", description: "The clock." }],
    memory: { strategy: { name: "token_budget", turnsMax: 4, tokensMax: 10 } },
    tracing: { enabled: false, sampleRate: 0.5, recordContent: true },
  });
  expect(agent.toolTokens).toBeGreaterThan(20);
  expect([...agent.tools.keys()]).toEqual(["datetime_now"]);
  expect([agent.inputGuardrails.length, agent.outputGuardrails.length]).toEqual([1, 1]);
});

test("an agent tool that is not a worker is shown to no model, not even in prompts", () => {
  const worker = (name: string) => ({ name, type: "agent", config: { agent: `${name}-agent` } });
  const agent = build({
    orchestration: { pattern: "supervisor", workers: ["b"] },
    tools: [worker("a"), worker("b"), { name: "datetime_now", type: "builtin" }],
  });
  expect(agent.toolSpecs.map(({ name }) => name)).toEqual(["b", "datetime_now"]);
  expect([[...agent.tools.keys()], [...agent.workers]]).toEqual([["a", "b", "datetime_now"], ["b"]]);
});

describe("what this version can't do is refused, never ignored:", () => {
  const table: [path: string, spec: Record<string, unknown>][] = [
    ["spec.memory.semantic", { memory: { semantic: {} } }],
    ["spec.memory.episodic", { memory: { episodic: {} } }],
    ["spec.knowledge", { knowledge: { pipeline: "handbook" } }],
    ["spec.output_schema.type", { output_schema: { type: "text", properties: {} } }],
    ["spec.chain.on_complete[0].when", { chain: { on_complete: [{ agent: "other", when: "{{ a" }] } }],
    ["spec.channels", { channels: [{ type: "webchat", config: {} }] }],
    ["spec.tools[0].name", { tools: [{ name: "w", type: "internal" }] }],
    [
      "spec.tools[0].config.context_transform",
      { tools: [{ name: "w", type: "agent", config: { agent: "a", context_transform: "{{" } }] },
    ],
    ["spec.guardrails.input[0].type", { guardrails: { input: [{ type: "cost_limit" }] } }],
    [
      "spec.guardrails.output[0].patterns[0]",
      { guardrails: { output: [{ type: "content_filter", patterns: ["(?=a)"] }] } },
    ],
    ["spec.model.primary.provider", { model: { primary: { provider: "nobody", model: "m" } } }],
    ["spec.prompts.system", { prompts: { system: "{% if %}" } }],
  ];
  test.each(table)("%s", (path, spec) => {
    expect(faultPaths(spec)).toContain(path);
  });
});

test("one refusal names all that is wrong", () => {
  const paths = faultPaths({
    model: { primary: { provider: "nobody", model: "m" } },
    prompts: { system: "{{" },
    tools: [{ name: "unheard_of", type: "builtin" }],
    guardrails: { input: [{ type: "topic_filter" }], output: [{ type: "cost_limit" }] },
  });
  expect(paths.sort()).toEqual([
    "spec.guardrails.input[0].topics",
    "spec.guardrails.output[0].max_tokens_per_turn",
    "spec.model.primary.provider",
    "spec.prompts.system",
    "spec.tools[0].name",
  ]);
});
