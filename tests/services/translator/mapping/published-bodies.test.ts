import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { atOnce } from "../../../../src/kit/concurrency/others-turn.ts";
import { agentKind } from "../../../../src/manifest/agent/agent-kind.ts";
import { ragPipelineKind } from "../../../../src/manifest/rag-pipeline.ts";
import { googleKinds } from "../../../../src/services/translator/accounts/gcp/google-kinds.ts";
import { bodyOf } from "../../../../src/services/translator/accounts/gcp/wire-resource.ts";
import {
  cloudProviders,
  type ReadSpec,
  specText,
  translate,
} from "../../../../src/services/translator/mapping/cloud-provider.ts";
import { readSpec } from "../../../../src/services/translator/mapping/read-spec.ts";
import { resolveBindings } from "../../../../src/services/translator/mapping/reference.ts";
import type { JsonObject } from "../../../../src/services/translator/mapping/section-table.ts";
import { bodyFault } from "../../../support/published-body.ts";

const manifests = { agent: agentKind({}), pipeline: ragPipelineKind({}) };
const parent = "projects/shop-prod/locations/europe-west4";

const awsShapes: Readonly<Record<string, string>> = {
  "iam.role": "iam/CreateRole",
  "bedrock.agent": "agents/CreateAgent",
  "bedrock.agent_alias": "agents/CreateAgentAlias",
  "bedrock.guardrail": "bedrock/CreateGuardrail",
  "bedrock.knowledge_base": "agents/CreateKnowledgeBase",
  "s3vectors.index": "s3Vectors/CreateIndex",
};

const googleShapes: Readonly<Record<string, string>> = {
  "modelarmor.template": "armor/Template",
  "vertex.agent_engine": "vertex/ReasoningEngine",
  "vertex.rag_corpus": "vertex/RagCorpus",
};

/** An id as the cloud gives it to a resource of the type that a reference names. */
function idFor(reference: string): string {
  if (reference.includes("iam.role")) return "arn:aws:iam::123456789012:role/argosy/a-role";
  if (reference.includes("s3vectors.index"))
    return "arn:aws:s3vectors:eu-central-1:123456789012:bucket/argosy-vectors/index/an-index";
  return "abcdef0123";
}

/** What the published descriptions have against the bodies that a manifest becomes. */
function faultsOf(spec: ReadSpec): string[] {
  return cloudProviders.flatMap((provider) =>
    translate(provider, spec).resources.flatMap(({ resource_type, name, config: referring }) => {
      const config = resolveBindings(referring, idFor);
      const kind = googleKinds.find((one) => one.resource_type === resource_type);
      const fault =
        kind === undefined
          ? bodyFault(awsShapes[resource_type] ?? "", awsBody(resource_type, config))
          : bodyFault(
              googleShapes[resource_type] ?? "",
              bodyOf(kind, { spec: specText(spec), parent, resource: { resource_type, name, config } }),
            );
      return fault === undefined ? [] : [`${spec.name} ${resource_type}: ${fault}`];
    }),
  );
}

function awsBody(type: string, config: JsonObject): JsonObject {
  // The agent is in the call's path.
  const { agentId, ...alias } = config;
  if (type === "bedrock.agent_alias") return agentId === undefined ? {} : alias;
  const text = JSON.stringify(config).replaceAll("arn:aws:bedrock:::", "arn:aws:bedrock:eu-central-1::");
  return JSON.parse(text) as JsonObject;
}

const files = ["agents", "rag", "tests/manifest/fixtures"].flatMap((folder) =>
  readdirSync(folder)
    .filter((file) => file.endsWith(".yaml"))
    .map((file) => join(folder, file)),
);

/** Reads a file with a value in place of each variable, which sent manifests can't have. */
const readFile = (file: string): ReadSpec =>
  atOnce(readSpec(manifests, readFileSync(file, "utf8").replaceAll(/\$\{[^}]*\}/g, "https://example.com")));

describe("bodies of REST calls fit the clouds' published descriptions", () => {
  test.each(files)("of %s", (file) => {
    expect(faultsOf(readFile(file))).toEqual([]);
  });

  const text = fc.string({ minLength: 1, maxLength: 60 });
  const name = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/).filter((one) => one !== "by-id");
  const side = fc.uniqueArray(
    fc.oneof(
      fc.record({ type: fc.constant("pii_detection"), action: fc.constantFrom("block", "redact") }),
      fc.record({
        type: fc.constant("topic_filter"),
        topics: fc.array(text, { minLength: 1, maxLength: 3 }),
      }),
      fc.record({ type: fc.constant("content_filter"), keywords: fc.array(text, { maxLength: 3 }) }),
      fc.record({ type: fc.constant("prompt_injection") }),
    ),
    { maxLength: 3, selector: ({ type }) => type },
  );
  const agents = fc.record({
    apiVersion: fc.constant("platform/v1"),
    kind: fc.constant("Agent"),
    metadata: fc.record({
      name,
      labels: fc.dictionary(fc.stringMatching(/^[\w.-]{1,20}$/), text, { maxKeys: 3 }),
    }),
    spec: fc.record(
      {
        identity: fc.record({ display_name: text, description: text }, { requiredKeys: [] }),
        model: fc.record({
          primary: fc.record({
            provider: fc.constant("openai"),
            model: fc.constant("amazon.nova-pro-v1:0"),
            parameters: fc.record(
              {
                temperature: fc.integer({ min: 0, max: 2 }),
                top_k: fc.integer({ min: 1, max: 1000 }),
                max_tokens: fc.integer({ min: 1, max: 9000 }),
                stop: fc.array(text, { minLength: 1, maxLength: 4 }),
              },
              { requiredKeys: [] },
            ),
          }),
        }),
        prompts: fc.record({ system: fc.string({ minLength: 1, maxLength: 90 }) }),
        tools: fc.uniqueArray(
          fc.record({
            name: fc.stringMatching(/^[A-Za-z0-9_-]{1,20}$/),
            type: fc.constant("client"),
            parameters: fc.constant({ type: "object" }),
          }),
          {
            maxLength: 3,
            selector: (tool) => tool.name,
          },
        ),
        memory: fc.record({ semantic: fc.constant({ max_results: 3 }) }),
        guardrails: fc.record({ input: side, output: side }, { requiredKeys: [] }),
        observability: fc.record({ tracing: fc.boolean() }),
      },
      { requiredKeys: [] },
    ),
  });
  const pipelines = fc.record({
    apiVersion: fc.constant("platform/v1"),
    kind: fc.constant("RAGPipeline"),
    metadata: fc.record({ name }),
    spec: fc.record(
      {
        description: text,
        collection: fc.stringMatching(/^[a-z0-9]([a-z0-9_-]{0,30}[a-z0-9])?$/),
        embeddings: fc.record({
          provider: fc.constant("openai"),
          model: fc.constant("m"),
          dimension: fc.integer({ min: 1, max: 16_384 }),
        }),
      },
      { requiredKeys: [] },
    ),
  });

  test("of random manifests", () => {
    fc.assert(
      fc.property(fc.oneof(agents, pipelines), (manifest) => {
        expect(faultsOf(atOnce(readSpec(manifests, JSON.stringify(manifest))))).toEqual([]);
      }),
      { numRuns: 300, seed: 20_261_122 },
    );
  });

  test("and a body with a field that the cloud doesn't know is found", () => {
    expect(bodyFault("vertex/RagCorpus", { displayName: "a", labels: {} })).toContain("labels");
    expect(bodyFault("agents/CreateAgent", { agentName: "a", instructions: "b" })).toContain("instructions");
  });
});

const used = (value: unknown): boolean =>
  Array.isArray(value) ? value.length > 0 : value !== null && value !== undefined && value !== "";

/** Dotted keys of a document that have a value; elements of lists by their type. */
function keysOf(value: unknown, path: readonly string[] = []): string[][] {
  if (Array.isArray(value)) return value.flatMap((one) => keysOf(one, [...path, "[]"]));
  if (typeof value !== "object" || value === null) return used(value) ? [[...path]] : [];
  return Object.entries(value).flatMap(([key, inner]) => keysOf(inner, [...path, key]));
}

describe.each(cloudProviders.map((provider) => [provider.id, provider] as const))("%s", (_, provider) => {
  test.each(files)("accounts for every key of %s: in a resource, or in a gap", (file) => {
    const spec = readFile(file);
    const { resources, gaps } = translate(provider, spec);
    const sections: readonly { section: string; coverage: string; into?: object }[] =
      spec.kind === "Agent" ? provider.agent.sections : provider.pipeline.sections;
    const named = new Set(gaps.map(({ section }) => section));
    expect(resources.length).toBeGreaterThan(0);
    expect(keysOf(spec.document).length).toBeGreaterThan(0);
    const table = spec.kind === "Agent" ? provider.agent : provider.pipeline;
    const rowOf = table.find as (
      segments: readonly string[],
      manifest?: unknown,
    ) => { section: string } | undefined;
    const lost = keysOf(spec.document)
      // Lists are found by the types of their elements, which the table's own walk knows.
      .filter((path) => !path.includes("[]"))
      .flatMap((path) => {
        const row = rowOf(path, spec.manifest);
        const known = sections.find(({ section }) => section === row?.section);
        const isCovered = known !== undefined && (known.coverage === "supported" || named.has(known.section));
        return isCovered ? [] : [path.join(".")];
      });
    expect(lost).toEqual([]);
  });
});
