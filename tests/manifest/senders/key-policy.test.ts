import { describe, expect, test } from "bun:test";
import { KindGuard, type TSchema } from "@sinclair/typebox";
import { ReplayGivenRequest, ReplayRequest } from "../../../src/contracts/daemon/cassettes/cassettes.ts";
import { MlPrediction, MlRegistration } from "../../../src/contracts/daemon/models/ml.ts";
import { ChunkRequest, IngestRequest, QueryRequest } from "../../../src/contracts/daemon/rag/rag.ts";
import { RunRequest } from "../../../src/contracts/daemon/runs/run.ts";
import { ToolExecution } from "../../../src/contracts/daemon/tools.ts";
import { builtRegistries } from "../../../src/engine/agents/manifest-registries.ts";
import { internalToolRows } from "../../../src/engine/tools/internal/registry.ts";
import { agentSchema } from "../../../src/manifest/agent/agent.ts";
import { ragPipelineSchema } from "../../../src/manifest/rag-pipeline.ts";
import { agentKeys } from "../../../src/manifest/senders/agent-keys.ts";
import { type KeyTable, keyTable, type Named } from "../../../src/manifest/senders/key-policy.ts";
import { pipelineKeys } from "../../../src/manifest/senders/pipeline-keys.ts";
import { isOwnSetting } from "../../../src/manifest/senders/sender.ts";
import { ragRegistries } from "../../../src/retrieval/rag/rag-registries.ts";

/** Returns the keys of a schema that can name something, each as its segments: texts, choices, switches and open values. */
function keysOf(schema: TSchema, segments: readonly string[] = []): string[][] {
  if (KindGuard.IsUnion(schema)) {
    const variants = schema.anyOf.filter((variant) => KindGuard.IsObject(variant));
    if (variants.length === 0) return [[...segments]];
    const [last = "", ...before] = segments.toReversed();
    return variants.flatMap((variant) => {
      const { type, name } = variant.properties as Record<string, { const?: string }>;
      const called = name?.const === undefined ? "" : `:${name.const}`;
      const element = type?.const === undefined ? last : `[${type.const}${called}]`;
      return keysOf(variant, [...before.toReversed(), element]);
    });
  }
  if (KindGuard.IsObject(schema))
    return Object.entries(schema.properties).flatMap(([key, value]) => keysOf(value, [...segments, key]));
  if (KindGuard.IsRecord(schema))
    return Object.values(schema.patternProperties).flatMap((value) => keysOf(value, [...segments, "any"]));
  if (KindGuard.IsArray(schema)) return keysOf(schema.items, [...segments, "[]"]);
  if (KindGuard.IsNumber(schema) || KindGuard.IsInteger(schema) || KindGuard.IsNever(schema)) return [];
  return [[...segments]];
}

/** Returns true if a key has a row of its own, or is below one that names nothing. */
const isClassified = (table: KeyTable, segments: readonly string[]) =>
  table.find(segments) !== undefined ||
  segments.some((_, end) => table.find(segments.slice(0, end))?.names === "nothing");

const registries = { ...builtRegistries(), internalTools: internalToolRows };

/**
 * Names in requests besides manifests. Overrides and forks require the owner for the owner's agents; the others are names of loaded things,
 * or a path that the registry of models keeps below `<data>/models`.
 */
const requestKeys = keyTable(
  (
    [
      ["run.override.provider", "name"],
      ["run.override.model", "name"],
      ["run.override.system_prompt", "nothing"],
      // A fingerprint of the named agent; only the owner may ask a version of the owner's agents.
      ["run.override.version", "name"],
      ["run.query", "nothing"],
      ["run.source", "nothing"],
      ["tool.source", "nothing"],
      ["run.context", "nothing"],
      ["run.session_id", "name"],
      ["run.record", "nothing"],
      ["run.trace_content", "nothing"],
      ["run.remember", "nothing"],
      ["run.turns", "nothing"],
      ["run.tool_stubs.others", "nothing"],
      ["run.tool_stubs.stubs.[].tool", "name"],
      ["run.tool_stubs.stubs.[].input", "nothing"],
      ["run.tool_stubs.stubs.[].output", "nothing"],
      ["run.tool_stubs.stubs.[].error", "nothing"],
      ["tool.tool", "name"],
      ["tool.agent", "name"],
      ["tool.input", "nothing"],
      ["tool.session_id", "name"],
      ["tool.trace_content", "nothing"],
      ["replay.model", "name"],
      ["replay.live_tools", "switch"],
      ["replay.strict", "nothing"],
      ["replay.record", "nothing"],
      ["replay.cassette", "nothing"],
      ["rag.collection", "name"],
      ["rag.pipeline", "name"],
      ["rag.documents", "nothing"],
      ["rag.query", "nothing"],
      ["rag.filters", "nothing"],
      ["rag.mode", "nothing"],
      ["rag.async", "nothing"],
      ["rag.rerank", "nothing"],
      ["rag.text", "nothing"],
      ["rag.strategy", "nothing"],
      ["ml.path", "path"],
      ["ml.name", "name"],
      ["ml.version", "name"],
      ["ml.format", "nothing"],
      ["ml.task", "nothing"],
      ["ml.metadata", "nothing"],
      ["ml.inputs", "nothing"],
    ] as const satisfies [string, Named][]
  ).map(([key, names]) => ({ key, names })),
);

describe("every key that can name something has a row", () => {
  test.each<[string, TSchema, KeyTable, string[]]>([
    ["Agent", agentSchema(registries), agentKeys, []],
    ["Agent of the operator, with custom tools", agentSchema(builtRegistries()), agentKeys, []],
    ["RAGPipeline", ragPipelineSchema(ragRegistries), pipelineKeys, []],
    ["a run", RunRequest, requestKeys, ["run"]],
    ["a direct call of a tool", ToolExecution, requestKeys, ["tool"]],
    ["a replay", ReplayRequest, requestKeys, ["replay"]],
    ["a replay of a cassette that is sent", ReplayGivenRequest, requestKeys, ["replay"]],
    ["an ingest", IngestRequest, requestKeys, ["rag"]],
    ["a query", QueryRequest, requestKeys, ["rag"]],
    ["a preview of chunks", ChunkRequest, requestKeys, ["rag"]],
    ["a model's registration", MlRegistration, requestKeys, ["ml"]],
    ["a prediction", MlPrediction, requestKeys, ["ml"]],
  ])("%s", (_what, schema, table, prefix) => {
    const keys = keysOf(schema, prefix);
    expect(keys.length).toBeGreaterThan(1);
    expect(keys.filter((segments) => !isClassified(table, segments)).map((key) => key.join("."))).toEqual([]);
  });

  test("and a key that is new has none", () => {
    expect(isClassified(agentKeys, ["spec", "model", "primary", "proxy_url"])).toBe(false);
    expect(isClassified(agentKeys, ["spec", "tools", "[builtin:read_file]", "config", "follow"])).toBe(false);
    expect(isClassified(pipelineKeys, ["spec", "vector_store", "ca_file"])).toBe(false);
  });
});

test("a row that names something outside says what strangers and tenants may put there", () => {
  const outside: ReadonlySet<Named> = new Set([
    "path",
    "address",
    "variable",
    "program",
    "connection",
    "switch",
  ]);
  const silent = agentKeys.rows.filter(
    ({ key, names, stranger, tenant }) =>
      outside.has(names) &&
      (stranger === undefined || tenant === undefined) &&
      !key.endsWith(".allowed_paths"),
  );
  expect(silent.map(({ key }) => key)).toEqual([]);
  const ofPipelines = pipelineKeys.rows.filter(
    ({ names, stranger }) => outside.has(names) && stranger === undefined,
  );
  expect(ofPipelines.map(({ key }) => key)).toEqual([]);
  const variables = [...agentKeys.rows, ...pipelineKeys.rows].filter(({ names }) => names === "variable");
  expect(variables.filter(({ owner }) => owner === undefined)).toEqual([]);
});

test.each([
  ["PLATFORM_OPERATOR_TOKEN", true],
  ["argosy_sealing_keys", true],
  ["GATEWAY_TRUSTED_SENDER_KEY", true],
  ["CLOUD_GOOGLE_CLIENT_ID", true],
  ["DATABASE_URL", true],
  ["REDIS_URL", true],
  ["HOSTED_LLM_API_KEY", false],
  ["OPENAI_API_KEY", false],
  ["MY_PLATFORM_KEY", false],
])("%s is a setting of Argosy: %p", (name, expected) => {
  expect(isOwnSetting(name)).toBe(expected);
});
