import { describe, expect, test } from "bun:test";
import { Type } from "@sinclair/typebox";
import { AgentSchema } from "../../../src/manifest/agent/agent.ts";
import { agentKind } from "../../../src/manifest/agent/agent-kind.ts";
import { runtimeFileKind } from "../../../src/manifest/files/runtime-file.ts";
import { jsonSchemaOf } from "../../../src/manifest/schema/json-schema.ts";
import { manifestKindNames } from "../../../src/manifest/schema/kind-names.ts";
import { manifestShape } from "../../../src/manifest/schema/manifest-shape.ts";
import { text } from "../../../src/manifest/schema/schema-vocabulary.ts";

/** Returns the part of a published schema at a path of keywords. */
function at(schema: unknown, path: string): unknown {
  return path.split("/").reduce((part: unknown, key) => {
    return typeof part === "object" && part !== null
      ? Object.entries(part).find(([name]) => name === key)?.[1]
      : undefined;
  }, schema);
}

const published = jsonSchemaOf(agentKind({}));

test("names its dialect and itself", () => {
  expect(published).toMatchObject({
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $id: "urn:argosy:schema:agent",
    title: "Agent",
    type: "object",
    required: ["apiVersion", "kind", "metadata", "spec"],
    additionalProperties: false,
  });
});

test("keys with a default may be left out, and other spellings are listed beside their key", () => {
  const orchestration = at(published, "properties/spec/properties/orchestration");
  expect(orchestration).not.toHaveProperty("required");
  expect(at(orchestration, "properties/timeout")).toEqual({
    type: "integer",
    minimum: 1,
    maximum: 3600,
    default: 120,
    description: "Another spelling of `timeout_seconds`.",
  });
});

test("a choice is an enum, a mapping has patterns, and variants have a discriminator", () => {
  const spec = at(published, "properties/spec/properties");
  expect(at(spec, "orchestration/properties/pattern")).toMatchObject({ type: "string", default: "react" });
  expect(at(spec, "orchestration/properties/pattern/enum")).toContain("swarm");
  expect(at(spec, "model/properties/roles")).toMatchObject({ type: "object", additionalProperties: false });
  const types = (at(spec, "tools/items/anyOf") as unknown[]).map((tool) => at(tool, "properties/type/const"));
  expect(types).toEqual(["builtin", "internal", "webhook", "mcp", "rag", "agent", "client", "a2a"]);
});

test("carries nothing but standard keywords, and every key is described", () => {
  const known =
    /^(\$schema|\$id|title|description|type|const|enum|default|pattern|min.*|max.*|items|anyOf|properties|patternProperties|required|additionalProperties)$/;
  const walk = (schema: object, path: string, needsWords: boolean): void => {
    for (const key of Object.keys(schema))
      expect(`${path}: ${key}`).toMatch(new RegExp(`: ${known.source.slice(1)}`));
    if (needsWords) expect([path, at(schema, "description")]).toEqual([path, expect.any(String)]);
    for (const [key, part] of Object.entries((at(schema, "properties") as object | undefined) ?? {})) {
      walk(part, `${path}.${key}`, true);
    }
    for (const part of Object.values((at(schema, "patternProperties") as object | undefined) ?? {}))
      walk(part, `${path}.*`, false);
    const items = at(schema, "items");
    if (items !== undefined) walk(items as object, `${path}[]`, false);
    for (const part of (at(schema, "anyOf") as object[] | undefined) ?? []) walk(part, path, false);
  };
  walk(published, "", false);
  walk(jsonSchemaOf(runtimeFileKind), "", false);
});

describe("with registries", () => {
  const merged = jsonSchemaOf(
    agentKind({
      providers: ["openai"],
      semanticBackends: [],
      builtinTools: new Map([
        [
          "clock",
          { description: "The time.", options: Type.Object({ zone: text(64, { description: "A zone." }) }) },
        ],
      ]),
      toolTypes: ["builtin"],
      guardrails: new Map([
        [
          "max_length",
          { stages: ["input"], actions: ["block"], description: "Length.", options: Type.Object({}) },
        ],
      ]),
    }),
  );
  const spec = at(merged, "properties/spec/properties");

  test("the options of a tool are part of its entry", () => {
    expect(at(spec, "tools/items/properties/name")).toMatchObject({ const: "clock" });
    expect(at(spec, "tools/items/properties/config")).toMatchObject({
      required: ["zone"],
      additionalProperties: false,
    });
  });

  test("a stage lists its guardrails; a stage without any can hold none", () => {
    expect(at(spec, "guardrails/properties/input/items/properties/type")).toMatchObject({
      const: "max_length",
    });
    expect(at(spec, "guardrails/properties/output/items")).toEqual({ not: {} });
  });

  test("names are those that there are", () => {
    expect(at(spec, "model/properties/primary/properties/provider")).toMatchObject({ const: "openai" });
    expect(at(spec, "memory/properties/semantic/properties/backend")).toMatchObject({ not: {} });
  });
});

test.each([...manifestKindNames])("%s has one", (name) => {
  const schema = jsonSchemaOf(manifestShape(name, { agent: {}, ragPipeline: {} }));
  expect(schema).toMatchObject({
    $id: `urn:argosy:schema:${name}`,
    type: "object",
    title: expect.any(String),
  });
});

test("the schema that validates is not changed by publishing", () => {
  const before = JSON.stringify(AgentSchema);
  jsonSchemaOf(agentKind({}));
  expect(JSON.stringify(AgentSchema)).toBe(before);
});
