import { describe, expect, test } from "bun:test";
import { KindGuard, type TSchema } from "@sinclair/typebox";
import { builtRegistries } from "../../../../src/engine/agents/manifest-registries.ts";
import { internalToolRows } from "../../../../src/engine/tools/internal/registry.ts";
import { agentSchema } from "../../../../src/manifest/agent/agent.ts";
import { ragPipelineSchema } from "../../../../src/manifest/rag-pipeline.ts";
import { ragRegistries } from "../../../../src/retrieval/rag/rag-registries.ts";
import { cloudProviders } from "../../../../src/services/translator/mapping/cloud-provider.ts";
import type { SectionTable } from "../../../../src/services/translator/mapping/section-table.ts";

/** Returns every key of a schema that can have a value, as its segments, with the other spellings of each. */
function keysOf(schema: TSchema, segments: readonly string[] = []): string[][] {
  if (KindGuard.IsUnion(schema)) {
    const variants = schema.anyOf.filter((variant) => KindGuard.IsObject(variant));
    if (variants.length === 0) return [[...segments]];
    return variants.flatMap((variant) => {
      const { type, name } = variant.properties as Record<string, { const?: string }>;
      const isNamed = type?.const === "builtin" || type?.const === "internal";
      const element =
        type?.const === undefined ? "[]" : isNamed ? `[${type.const}:${name?.const}]` : `[${type.const}]`;
      return keysOf(variant, [...segments.slice(0, -1), element]);
    });
  }
  if (KindGuard.IsObject(schema))
    return Object.entries(schema.properties).flatMap(([key, value]) =>
      [key, ...((value as { aliases?: string[] }).aliases ?? [])].flatMap((spelling) =>
        keysOf(value, [...segments, spelling]),
      ),
    );
  if (KindGuard.IsRecord(schema))
    return Object.values(schema.patternProperties).flatMap((value) => keysOf(value, [...segments, "any"]));
  if (KindGuard.IsArray(schema)) return keysOf(schema.items, [...segments, "[]"]);
  return [[...segments]];
}

const agent = agentSchema({ ...builtRegistries(), internalTools: internalToolRows });
const pipeline = ragPipelineSchema(ragRegistries);

/** Keys that no row of a table knows. */
const unknownTo = (table: SectionTable<never>, schema: TSchema) =>
  keysOf(schema)
    .filter((segments) => table.find(segments) === undefined)
    .map((segments) => segments.join("."));

describe.each(cloudProviders.map((provider) => [provider.id, provider] as const))(
  "the tables of %s",
  (_, provider) => {
    test("know every key of agents and pipelines", () => {
      expect(unknownTo(provider.agent as SectionTable<never>, agent)).toEqual([]);
      expect(unknownTo(provider.pipeline as SectionTable<never>, pipeline)).toEqual([]);
    });

    test("say what is lost in every section that isn't supported", () => {
      for (const { section, coverage, detail } of [
        ...provider.agent.sections,
        ...provider.pipeline.sections,
      ]) {
        if (coverage === "supported") expect([section, detail]).toEqual([section, undefined]);
        else expect(detail?.({ names: ["x"] }) ?? "").toMatch(/^[A-Z`].+\.$/);
      }
    });

    test("put sections only into resources that they declare", () => {
      for (const table of [provider.agent, provider.pipeline] as SectionTable<never>[]) {
        const types = new Set(table.resources.map(({ resource_type }) => resource_type));
        const used = table.sections.flatMap(({ into = {} }) => Object.keys(into));
        expect(used.filter((type) => !types.has(type))).toEqual([]);
      }
    });
  },
);

test("a table without a row for a key fails the walk", () => {
  const table = { find: (segments: readonly string[]) => (segments[1] === "chain" ? undefined : {}) };
  expect(unknownTo(table as unknown as SectionTable<never>, agent)).not.toEqual([]);
});
