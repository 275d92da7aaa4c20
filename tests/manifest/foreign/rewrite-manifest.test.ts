import { describe, expect, test } from "bun:test";
import { parse } from "yaml";
import { builtRegistries } from "../../../src/engine/agents/manifest-registries.ts";
import { agentKind } from "../../../src/manifest/agent/agent-kind.ts";
import { providersFileKind } from "../../../src/manifest/files/providers-file.ts";
import { runtimeFileKind } from "../../../src/manifest/files/runtime-file.ts";
import {
  foreignKind,
  type RewrittenKind,
  rewriteManifest,
} from "../../../src/manifest/foreign/rewrite-manifest.ts";
import { ragPipelineKind } from "../../../src/manifest/rag-pipeline.ts";
import type { ManifestKind } from "../../../src/manifest/schema/manifest-kind.ts";

const schemas = {
  agent: agentKind(builtRegistries()),
  "rag-pipeline": ragPipelineKind({}),
  providers: providersFileKind({ types: ["openai", "ollama"] }),
  runtime: runtimeFileKind,
} as unknown as Record<RewrittenKind, ManifestKind<unknown>>;

const rewrite = (kind: RewrittenKind, text: string) =>
  rewriteManifest(text, { kind, schema: schemas[kind], variables: () => "set" });

const primary = { provider: "openai", model: "gpt-4o" };

describe("an agent's spec", () => {
  const table: readonly (readonly [foreign: object, ours: object])[] = [
    [{ model: "openai:gpt-4o" }, { model: { primary } }],
    [{ model: "openai/gpt-4o" }, { model: { primary } }],
    [{ model: "gpt-4o" }, { model: { primary } }],
    [{ model: "llama3.2:latest" }, { model: { primary: { provider: "ollama", model: "llama3.2:latest" } } }],
    [{ llm: { provider: "openai", name: "gpt-4o" } }, { model: { primary } }],
    [{ provider: "openai", model: "gpt-4o" }, { model: { primary } }],
    [
      { model: primary, temperature: 0.1 },
      { model: { primary: { ...primary, parameters: { temperature: 0.1 } } } },
    ],
    [
      { model: { ...primary, maxTokens: 9 } },
      { model: { primary: { ...primary, parameters: { max_tokens: 9 } } } },
    ],
    [
      { model: { primary: { ...primary, max_tokens: 9 } } },
      { model: { primary: { ...primary, parameters: { max_tokens: 9 } } } },
    ],
    [
      {
        model: {
          candidates: [
            { source: "openai", model: "gpt-4o" },
            { source: "ollama", model: "phi" },
          ],
        },
      },
      { model: { primary, fallbacks: [{ provider: "ollama", model: "phi" }] } },
    ],
    [
      { model: { ...primary, api_key: "$" + "{MY_KEY}" } },
      { model: { primary: { ...primary, api_key_env: "MY_KEY" } } },
    ],
    [{ api: { provider: "openai", model: "gpt-4o" } }, { model: { primary } }],
    [{ systemPrompt: "Hi" }, { prompts: { system: "Hi" } }],
    [{ prompts: "Hi" }, { prompts: { system: "Hi" } }],
    [{ orchestration: "react" }, { orchestration: { pattern: "react" } }],
    [{ maxSteps: 4, timeout: "2m" }, { orchestration: { max_iterations: 4, timeout: 120 } }],
    [{ tools: ["datetime_now"] }, { tools: [{ name: "datetime_now", type: "builtin" }] }],
    [
      {
        tools: [
          {
            type: "function",
            function: { name: "f", description: "d", parameters: { type: "object", properties: { aB: {} } } },
          },
        ],
      },
      {
        tools: [
          {
            type: "client",
            name: "f",
            description: "d",
            parameters: { type: "object", properties: { aB: {} } },
          },
        ],
      },
    ],
    [{ memory: "in_memory" }, { memory: { conversational: { backend: "memory" } } }],
    [
      { memory: { conversational: { backend: "in_memory", ttl: "1h" } } },
      { memory: { conversational: { backend: "memory", ttl_seconds: 3600 } } },
    ],
    [
      { guardrails: { blocked_categories: ["violence"] } },
      { guardrails: { output: [{ type: "content_filter", action: "block", categories: ["violence"] }] } },
    ],
    [
      { guardrails: { output: [{ type: "content_filter", blockedCategories: ["violence"] }] } },
      { guardrails: { output: [{ type: "content_filter", categories: ["violence"] }] } },
    ],
    [
      { chain: { on_complete: [{ agent: "b", retry: { attempts: 2, backoff: "exponential" } }] } },
      { chain: { on_complete: [{ agent: "b", retry: { max_attempts: 2, backoff: 1 } }] } },
    ],
  ];
  test.each(table)("%j", (foreign, ours) => {
    const head = { apiVersion: "platform/v1", kind: "Agent", metadata: { name: "a" } };
    const { text, changes, leftOut, problems } = rewrite("agent", JSON.stringify({ ...head, spec: foreign }));
    expect(problems).toEqual([]);
    expect(leftOut).toEqual([]);
    expect(changes.length).toBeGreaterThan(0);
    expect(parse(text).spec).toEqual(ours);
  });
});

describe("other files", () => {
  const table: readonly (readonly [RewrittenKind, foreign: object, ours: object])[] = [
    [
      "runtime",
      { spec: { api: { host: "127.0.0.1", port: 9000 } } },
      { spec: { services: { daemon: { host: "127.0.0.1", port: 9000 } } } },
    ],
    [
      "providers",
      {
        providers: { a: { type: "openai", baseUrl: "https://a.example/v1" } },
        default: { candidates: [{ source: "a", model: "m" }] },
      },
      {
        providers: { a: { type: "openai", endpoint: "https://a.example/v1" } },
        default: { candidates: [{ provider: "a", model: "m" }] },
      },
    ],
    [
      "rag-pipeline",
      {
        kind: "RAGPipeline",
        apiVersion: "platform/v1",
        metadata: { name: "a" },
        spec: { vectorStore: { type: "in_memory" }, chunking: { size: 100, chunk_overlap: 10 } },
      },
      {
        kind: "RAGPipeline",
        apiVersion: "platform/v1",
        metadata: { name: "a" },
        spec: { vector_store: { backend: "memory" }, chunking: { chunk_size: 100, overlap: 10 } },
      },
    ],
  ];
  test.each(table)("%s %j", (kind, foreign, ours) => {
    const { text, problems, leftOut } = rewrite(kind, JSON.stringify(foreign));
    expect({ problems, leftOut }).toEqual({ problems: [], leftOut: [] });
    expect(parse(text)).toEqual(ours);
  });
});

test("comments stay, a flat file gets its head, what has no place is left out and named", () => {
  const { text, changes, leftOut, problems } = rewrite(
    "agent",
    "# top\nname: My Agent\nsystem_prompt: Hi # greeting\nmodel: openai:gpt-4o\nllm_cache: true\napi_key: sk-1234567890123456\n",
  );
  expect(problems).toEqual([]);
  expect(text).toContain("# top");
  expect(text).toContain("system: Hi # greeting");
  expect(text).toContain("name: my-agent");
  expect(text).not.toContain("sk-1234");
  expect(JSON.stringify([changes, leftOut])).not.toContain("sk-1234");
  expect(leftOut.map(({ path }) => path)).toEqual(
    expect.arrayContaining(["spec.llm_cache", "spec.model.primary.api_key"]),
  );
  // A key that moved twice is reported once.
  expect(changes).toContainEqual({ path: "system_prompt", message: "is now `spec.prompts.system`" });
});

test("a file in Argosy's words stays byte for byte, and a second pass changes nothing", () => {
  const ours = "apiVersion: platform/v1\nkind: Agent\nmetadata:   {name: a}  # odd spaces\nspec: {}\n";
  expect(rewrite("agent", ours)).toEqual({ text: ours, changes: [], leftOut: [], problems: [] });
  const once = rewrite("agent", "name: a\nmodel: gpt-4o\ntools: [datetime_now]\n").text;
  expect(rewrite("agent", once)).toMatchObject({ text: once, changes: [] });
});

test("an error in a foreign manifest is reported in the words of validate", () => {
  const wrong = rewrite(
    "agent",
    "kind: Agent\nmetadata: {name: a}\nspec: {model: gpt-4o, temperature: hot}\n",
  );
  expect(wrong.problems.map(({ path }) => path)).toEqual(["spec.model.primary.parameters.temperature"]);
  expect(rewrite("agent", "a: [\n").problems[0]?.message).toContain("is not YAML");
});

test.each([
  ["kind: agent", "agent"],
  ["kind: rag-pipeline", "rag-pipeline"],
  ["providers: {}", "providers"],
  ["spec: {chunking: {}}", "rag-pipeline"],
  ["services: {}", "runtime"],
  ["name: a", "agent"],
] as const)("%s is the kind %s", (text, kind) => expect(foreignKind(text)).toBe(kind));
