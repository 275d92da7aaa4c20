import { describe, expect, test } from "bun:test";
import { Type } from "@sinclair/typebox";
import type { GuardrailRow } from "../../../src/manifest/agent/guardrails.ts";
import type { ManifestRegistries } from "../../../src/manifest/schema/registries.ts";
import { list, oneOf, text, whole } from "../../../src/manifest/schema/schema-vocabulary.ts";
import { parseAgent } from "../../support/parse-agent.ts";
import { agentWith, problemsIn } from "../agent-text.ts";

const guardrails = new Map<string, GuardrailRow>([
  [
    "pii_detection",
    {
      stages: ["input", "output"],
      actions: ["redact", "block"],
      description: "Personal data.",
      options: Type.Object({
        entities: list(oneOf(["email", "phone"], { description: "A kind." }), 8, {
          description: "What is sought.",
          default: ["email", "phone"],
        }),
      }),
    },
  ],
  [
    "topic_filter",
    {
      stages: ["input"],
      actions: ["block"],
      description: "Topics.",
      options: Type.Object({
        topics: list(text(64, { description: "A topic." }), 8, { description: "Topics." }),
      }),
    },
  ],
]);

const registries: ManifestRegistries = {
  guardrails,
  providers: ["openai", "ollama"],
  patterns: ["react"],
  memoryStrategies: ["sliding_window", "token_budget"],
  conversationalBackends: ["sqlite"],
  semanticBackends: [],
  toolTypes: ["builtin"],
  builtinTools: new Map([
    ["datetime_now", { description: "The time.", options: Type.Object({}) }],
    [
      "http_request",
      {
        description: "A call.",
        options: Type.Object({ timeout_seconds: whole(1, 60, { description: "Seconds.", default: 30 }) }),
      },
    ],
    [
      "sql_query",
      {
        description: "SQL.",
        options: Type.Object({ connection_string: text(99, { description: "File." }) }),
      },
    ],
  ]),
};

const agent = (spec: object) => ({ apiVersion: "platform/v1", kind: "Agent", metadata: { name: "a" }, spec });
const parse = (spec: object) => parseAgent(agent(spec), { registries }).spec;

describe("what an executable has is accepted, with the defaults of its rows", () => {
  test("guardrails", () => {
    const { guardrails: read } = parse({
      guardrails: { input: [{ type: "pii_detection" }, { type: "topic_filter", topics: ["x"] }] },
    });
    expect(read.input).toEqual([
      { type: "pii_detection", action: "redact", on_error: "block", entities: ["email", "phone"] },
      { type: "topic_filter", action: "block", on_error: "block", topics: ["x"] },
    ]);
  });

  test("tools", () => {
    const { tools } = parse({
      tools: [
        { name: "datetime_now", type: "builtin" },
        { name: "http_request", type: "builtin", config: {} },
      ],
    });
    expect(tools.map((tool) => tool.config)).toEqual([{}, { timeout_seconds: 30 }]);
  });
});

describe("what it has not is refused, by name", () => {
  test.each<[string, object, string]>([
    [
      "a provider",
      { model: { primary: { provider: "opnai", model: "x" } } },
      'must be one of `openai`, `ollama`, got "opnai"; did you mean `openai`?',
    ],
    [
      "a pattern",
      { orchestration: { pattern: "swarm" } },
      "spec.orchestration.pattern must be `react`; this version has no others",
    ],
    [
      "a strategy",
      { memory: { conversational: { strategy: "summary" } } },
      "must be `sliding_window` or `token_budget`; this version has no others",
    ],
    [
      "a backend",
      { memory: { conversational: { backend: "redis" } } },
      "must be `sqlite`; this version has no others",
    ],
    [
      "a backend of nothing",
      { memory: { semantic: { backend: "qdrant" } } },
      "this version has none to offer",
    ],
    [
      "a kind of tool",
      { tools: [{ name: "x", type: "mcp", config: {} }] },
      "spec.tools[0].type must be `builtin`",
    ],
    [
      "a tool",
      { tools: [{ name: "datetime", type: "builtin" }] },
      "spec.tools[0].name must be one of `datetime_now`, `http_request`, `sql_query`",
    ],
    [
      "a tool's option",
      { tools: [{ name: "http_request", type: "builtin", config: { timeout: 3 } }] },
      "spec.tools[0].config.timeout is not a known key",
    ],
    [
      "a tool's bound",
      { tools: [{ name: "http_request", type: "builtin", config: { timeout_seconds: 61 } }] },
      "between 1 and 60",
    ],
    [
      "a missing option",
      { tools: [{ name: "sql_query", type: "builtin" }] },
      "spec.tools[0].config is required",
    ],
    ["a guardrail", { guardrails: { input: [{ type: "pii_detektion" }] } }, "did you mean `pii_detection`?"],
    [
      "a guardrail's stage",
      { guardrails: { output: [{ type: "topic_filter", topics: [] }] } },
      "spec.guardrails.output[0].type must be `pii_detection`",
    ],
    [
      "a guardrail's action",
      { guardrails: { input: [{ type: "topic_filter", action: "redact", topics: [] }] } },
      "action must be `block`",
    ],
    [
      "a guardrail's option",
      { guardrails: { input: [{ type: "topic_filter", topic: [] }] } },
      "did you mean `topics`?",
    ],
    [
      "a guardrail's missing option",
      { guardrails: { input: [{ type: "topic_filter" }] } },
      "spec.guardrails.input[0].topics is required",
    ],
    [
      "a guardrail's entity",
      { guardrails: { input: [{ type: "pii_detection", entities: ["emial"] }] } },
      'entities[0] must be one of `email`, `phone`, got "emial"; did you mean `email`?',
    ],
  ])("%s", (_, spec, words) => {
    expect(() => parse(spec)).toThrow(words);
  });
});

test("an installation's defaults apply where an agent says nothing", () => {
  const orchestrationDefaults = { max_iterations: 4, timeout_seconds: 20 };
  const read = parseAgent(agent({ orchestration: { timeout: 7 } }), {
    registries: { orchestrationDefaults },
  });
  expect(read.spec.orchestration).toMatchObject({ pattern: "react", max_iterations: 4, timeout_seconds: 7 });
});

test("an installation's default that can't be honoured is refused where it would act", () => {
  const problems = problemsIn(agentWith(["metadata", "version"], "1.0.0"), {
    patterns: ["react"],
    orchestrationDefaults: { pattern: "swarm" },
  });
  expect(problems.map((problem) => problem.path)).toEqual(["spec.orchestration.pattern"]);
});
