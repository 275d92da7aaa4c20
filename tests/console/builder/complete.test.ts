import { describe, expect, test } from "bun:test";
import { complete } from "../../../src/console/builder/manifest/complete.ts";
import type { Schema } from "../../../src/console/builder/manifest/schema-at.ts";
import { yamlCursor } from "../../../src/console/builder/manifest/yaml-cursor.ts";
import { builtRegistries } from "../../../src/engine/agents/manifest-registries.ts";
import { jsonSchemaOf } from "../../../src/manifest/schema/json-schema.ts";
import { manifestShape } from "../../../src/manifest/schema/manifest-shape.ts";

const schema: Schema = jsonSchemaOf(
  manifestShape("agent", { agent: builtRegistries(), ragPipeline: {}, providerTypes: [] }),
);

/** Returns the labels offered at the position of `¦`. */
function offered(text: string): string[] {
  const offset = text.indexOf("¦");
  const place = yamlCursor(text.replace("¦", ""), offset);
  if (place === undefined) return [];
  return complete(schema, place.path, place.prefix, place.value).map(({ label }) => label);
}

const head = "apiVersion: platform/v1\nkind: Agent\nmetadata:\n  name: a\n";

describe("keys", () => {
  test("at the beginning of an empty document", () => {
    expect(offered("¦")).toEqual(["apiVersion", "kind", "metadata", "spec"]);
  });

  test("those that are there already are left out", () => {
    expect(offered(`${head}¦`)).toEqual(["spec"]);
    expect(offered("metadata:\n  name: a\n  ¦\nkind: Agent\n")).toEqual(["version", "namespace", "labels"]);
  });

  test("those that begin as what was typed", () => {
    expect(offered(`${head}spec:\n  m¦`)).toEqual(["model", "memory"]);
    expect(offered(`${head}spec:\n  model:\n    pri¦\n    fallback: {}\n`)).toEqual(["primary"]);
  });

  test("also where the rest of the key follows", () => {
    expect(offered(`${head}spec:\n  mod¦el:\n    primary: {}\n`)).toEqual(["model"]);
  });

  test("in a flow mapping", () => {
    expect(offered(`${head}spec:\n  model:\n    primary: {provider: ollama, m¦}\n`)).toEqual(["model"]);
  });

  test("not other spellings, and not a key of which another spelling is there", () => {
    const orchestration = offered(`${head}spec:\n  orchestration:\n    timeout: 5\n    ¦\n`);
    expect(orchestration).toContain("pattern");
    expect(orchestration).not.toContain("timeout_seconds");
    expect(offered(`${head}spec:\n  orchestration:\n    ¦\n`)).not.toContain("timeout");
  });

  test("in the items of a list, by what the item says of itself", () => {
    const guardrail = (type: string) =>
      `${head}spec:\n  guardrails:\n    input:\n      - type: ${type}\n        ¦\n`;
    expect(offered(guardrail("max_length"))).toEqual(["action", "on_error", "max_chars"]);
    expect(offered(guardrail("topic_filter"))).toEqual(["action", "on_error", "topics"]);
    expect(
      offered(`${head}spec:\n  tools:\n    - name: lookup\n      type: webhook\n      config:\n        ¦\n`),
    ).toEqual(["url", "method", "headers", "connection"]);
  });

  test("under a mapping with names of its writer's choosing", () => {
    expect(offered(`${head}spec:\n  model:\n    roles:\n      planner:\n        ¦\n`)).toEqual([
      "candidates",
      "strategy",
    ]);
  });
});

describe("values", () => {
  test("of a choice, with the default marked", () => {
    const place = yamlCursor(
      `${head}spec:\n  orchestration:\n    pattern: \n`,
      `${head}spec:\n  orchestration:\n    pattern: `.length,
    );
    const found = complete(schema, place?.path ?? [], place?.prefix ?? "", place?.value);
    expect(found.map(({ label, detail }) => [label, detail])).toContainEqual(["react", "default"]);
    expect(offered(`${head}spec:\n  orchestration:\n    pattern: p¦\n`)).toEqual([
      "plan_and_execute",
      "parallel_fan_out",
      "pipeline",
    ]);
  });

  test("of a flow mapping's entry", () => {
    expect(offered(`${head}spec:\n  model:\n    primary: {provider: oll¦, model: x}\n`)).toEqual(["ollama"]);
  });

  test("of what can only be one thing, and of what is on or off", () => {
    expect(offered("kind: ¦\n")).toEqual(["Agent"]);
    expect(offered(`${head}spec:\n  observability:\n    record: ¦\n`)).toEqual(["true", "false"]);
  });

  test("of the tools that are built in, each once", () => {
    const tools = offered(`${head}spec:\n  tools:\n    - name: web¦\n      type: builtin\n`);
    expect(tools).toEqual(["web_search", "web_scrape"]);
  });

  test("of items of a list of choices", () => {
    expect(
      offered(
        `${head}spec:\n  guardrails:\n    input:\n      - type: pii_detection\n        entities: [email, ¦]\n`,
      ),
    ).toContain("phone");
  });
});

describe("nothing", () => {
  for (const [where, text] of [
    ["in a comment", "# wr¦ite\nkind: Agent\n"],
    ["in a longer text", `${head}spec:\n  prompts:\n    system: |\n      You are a mod¦\n`],
    ["in free text", `${head}spec:\n  identity:\n    role: a mod¦\n`],
    ["below a key that isn't known", `${head}spec:\n  unknown:\n    a¦\n`],
  ] as const) {
    test(where, () => expect(offered(text)).toEqual([]));
  }
});
