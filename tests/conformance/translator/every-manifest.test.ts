import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { atOnce } from "../../../src/kit/concurrency/others-turn.ts";
import { agentKind } from "../../../src/manifest/agent/agent-kind.ts";
import { rewriteManifest } from "../../../src/manifest/foreign/rewrite-manifest.ts";
import { ragPipelineKind } from "../../../src/manifest/rag-pipeline.ts";
import { elementSegment } from "../../../src/manifest/senders/key-policy.ts";
import {
  type CloudProvider,
  cloudProviders,
  type ReadSpec,
  translate,
} from "../../../src/services/translator/mapping/cloud-provider.ts";
import { readSpec } from "../../../src/services/translator/mapping/read-spec.ts";
import type { SectionTable } from "../../../src/services/translator/mapping/section-table.ts";
import { blocksOf, nameOf, pages, root } from "../../docs/fenced-blocks.ts";
import { deskYaml, handbookYaml } from "../../support/translator.ts";

/*
 * Every manifest that the project has: each key that it uses is in a resource, so that another value changes what is sent, or a gap names
 * its section.
 */

const manifests = { agent: agentKind({}), pipeline: ragPipelineKind({}) };

const filesIn = (folder: string, ending: string): [string, string][] =>
  readdirSync(join(root, folder))
    .filter((file) => file.endsWith(ending))
    .map((file) => [`${folder}/${file}`, readFileSync(join(root, folder, file), "utf8")]);

const blocks = pages()
  .flatMap((page) => blocksOf(page))
  .filter(({ language, note }) => language === "yaml" && /^(agent|rag-pipeline)$/.test(note))
  .map((block): [string, string] => {
    const kind = block.note === "agent" ? "Agent" : "RAGPipeline";
    const head = `apiVersion: platform/v1\nkind: ${kind}\nmetadata: {name: sample}\n`;
    return [nameOf(block), /^kind:/m.test(block.text) ? block.text : head + block.text];
  });

/** Manifests that other people wrote for other systems, as `argosy import` rewrites them. */
const imported: [string, string][] = [
  [
    "a flat foreign agent",
    "name: desk\nmodel: openai:gpt-4o\ninstructions: Be brief.\ntools: [web_search]\ntemperature: 0.2\n",
  ],
  [
    "a foreign agent with a memory",
    "apiVersion: v1\nkind: Agent\nmetadata: {name: desk}\nspec:\n  llm: {provider: openai, name: gpt-4o, maxTokens: 90}\n  prompts: {system: Hi}\n  memory: {conversational: {max_messages: 9}}\n",
  ],
].map(([name = "", text = ""]) => {
  const rewritten = rewriteManifest(text, {
    kind: "agent",
    schema: manifests.agent as never,
    variables: () => "set",
  });
  return [name, rewritten.text];
});

/** A sent manifest reads no variables, so a value takes the place of those in the operator's files. */
const withoutVariables = (text: string): string => text.replaceAll(/\$+\{[^}]*\}/g, "https://a.example");

/** Every key of the sections that some cloud supports in full, with values that aren't the defaults. */
const supported: [string, string][] = [
  [
    "every supported section of a pipeline",
    `${handbookYaml}  collection: shelf
  retrieval: {top_k: 7, similarity_threshold: 0.2, mode: hybrid, filters: {team: desk, year: 2026, draft: false}}
  chunking: {strategy: fixed, chunk_size: 900, overlap: 90}
`.replace(/ {2}chunking: .*\n {2}retrieval: .*\n/, ""),
  ],
  [
    "a pipeline that searches by words and lists",
    `${handbookYaml}  retrieval: {mode: text, filters: {team: [a, b]}}
  chunking: {strategy: semantic, similarity_threshold: 0.7, separators: [x]}
`.replace(/ {2}chunking: .*\n {2}retrieval: .*\n/, ""),
  ],
];

const all = [
  ...filesIn("agents", ".agent.yaml"),
  ...filesIn("rag", ".rag.yaml"),
  ...filesIn("tests/manifest/fixtures", ".agent.yaml"),
  ...blocks,
  ...imported,
  ...supported,
  ["help desk", deskYaml] as [string, string],
  ["handbook", handbookYaml] as [string, string],
].map(([name, text]) => [name, withoutVariables(text)] as [string, string]);

interface Leaf {
  segments: string[];
  path: (string | number)[];
  value: unknown;
}

function leavesOf(value: unknown, segments: string[] = [], path: (string | number)[] = []): Leaf[] {
  if (Array.isArray(value))
    return value.flatMap((one, at) => leavesOf(one, [...segments, elementSegment(one)], [...path, at]));
  if (typeof value === "object" && value !== null)
    return Object.entries(value).flatMap(([key, one]) => leavesOf(one, [...segments, key], [...path, key]));
  return value === null ? [] : [{ segments, path, value }];
}

/** The document with another value at a path, or without it. */
function changedAt(document: unknown, path: readonly (string | number)[], value: unknown): unknown {
  const copy = structuredClone(document);
  const holder = path.slice(0, -1).reduce((inner, key) => Reflect.get(inner as object, key), copy) as object;
  const last = path.at(-1) as string | number;
  if (value !== undefined) Reflect.set(holder, last, value);
  else if (Array.isArray(holder)) holder.splice(Number(last), 1);
  else Reflect.deleteProperty(holder, last);
  return copy;
}

const others = (value: unknown): unknown[] => {
  if (typeof value === "boolean") return [!value];
  if (typeof value === "number") return [value + 1, value / 2, Math.max(value - 1, 0)];
  return [
    `${String(value)}x`,
    "react",
    "pipeline",
    "pii_detection",
    "fixed",
    "recursive",
    "hybrid",
    "vector",
    "https://b.example",
  ];
};

const specOf = (text: string): ReadSpec => atOnce(readSpec(manifests, text));

const tableOf = (provider: CloudProvider, { kind }: ReadSpec) =>
  (kind === "Agent" ? provider.agent : provider.pipeline) as unknown as SectionTable<unknown>;

/** True if some valid other value of the leaf changes a resource or adds a gap, or if it can have no other value. */
function isHeeded(provider: CloudProvider, spec: ReadSpec, { path, value }: Leaf): boolean {
  const before = JSON.stringify(translate(provider, spec));
  let isFixed = true;
  for (const other of [undefined, ...others(value)]) {
    try {
      const changed = specOf(JSON.stringify(changedAt(spec.document, path, other)));
      isFixed = false;
      if (JSON.stringify(translate(provider, changed)) !== before) return true;
    } catch {
      // With this value it is not a valid manifest; the next one may be.
    }
  }
  return isFixed;
}

test("there are manifests of every origin", () => {
  expect(all.length).toBeGreaterThan(35);
  expect(imported.map(([, text]) => text)).not.toContain("");
});

describe.each(cloudProviders.map((provider) => [provider.id, provider] as const))(
  "on %s",
  (_id, provider) => {
    test.each(all)("each key of %s is in a resource or in a gap", (_name, text) => {
      const spec = specOf(text);
      const { gaps, resources } = translate(provider, spec);
      expect(resources.length).toBeGreaterThan(0);
      const lost = leavesOf(spec.document)
        .filter(({ segments }) => !["apiVersion", "kind"].includes(segments.join(".")))
        .filter((leaf) => {
          const row = tableOf(provider, spec).find(leaf.segments, spec.manifest);
          if (gaps.some(({ section }) => section === row?.section)) return false;
          return !isHeeded(provider, spec, leaf);
        });
      expect(lost.map(({ segments }) => segments.join("."))).toEqual([]);
    });

    test.each(all)("no gap of %s is for a section that it doesn't use, or without advice", (_name, text) => {
      const spec = specOf(text);
      const used = new Set(
        leavesOf(spec.document).map(
          ({ segments }) => tableOf(provider, spec).find(segments, spec.manifest)?.section,
        ),
      );
      for (const { section, coverage, detail } of translate(provider, spec).gaps) {
        expect([section, used.has(section), coverage === "supported"]).toEqual([section, true, false]);
        expect(detail.length).toBeGreaterThan(20);
      }
    });
  },
);
