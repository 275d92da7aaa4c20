import { expect, test } from "bun:test";
import type { Path } from "../../src/manifest/fault.ts";
import { readYaml } from "../../src/manifest/yaml/read-yaml.ts";
import corpus from "../corpora/yaml_manifests.json" with { type: "json" };
import { parseAgent } from "../support/parse-agent.ts";
import { agentWith, problemsIn } from "./agent-text.ts";

interface Entry {
  id: string;
  input: string | { repeat: [string, number]; then: [string, number] };
  why: string;
  expected: string;
}

/** Places in an agent for the one-line fragments of the corpus. */
const places: Record<string, Path> = {
  name: ["metadata", "name"],
  version: ["metadata", "version"],
  endpoint: ["spec", "model", "primary", "endpoint"],
  max_iterations: ["spec", "orchestration", "max_iterations"],
  timeout_seconds: ["spec", "orchestration", "timeout_seconds"],
  temperature: ["spec", "model", "primary", "parameters", "temperature"],
};

function textOf({ input }: Entry): string {
  if (typeof input === "string") return input;
  return input.repeat[0].repeat(input.repeat[1]) + input.then[0].repeat(input.then[1]);
}

// The JSON file's inferred type is a union over its entries.
const entries = corpus.entries as Entry[];

test.each(entries.map((entry) => [entry.id, entry.why, entry] as const))("%s, %s", (_id, _why, entry) => {
  const text = textOf(entry);
  // None of them is a valid agent as a whole.
  expect(problemsIn(text).length).toBeGreaterThan(0);

  const [key = "", fragment = ""] = text.split(/: (.*)/s);
  const place = Object.hasOwn(places, key) ? places[key] : undefined;
  if (place !== undefined) {
    expect(problemsIn(agentWith(place, fragment))).toHaveLength(1);
    return;
  }
  const reading = readYaml(text);
  if (entry.expected === "string") expect(reading).toMatchObject({ value: { a: expect.any(String) } });
  else if (entry.id === "yaml_manifests-015") expect(reading).toMatchObject({ value: { a: 755 } });
  else if (!["yaml_manifests-030", "yaml_manifests-031", "yaml_manifests-039"].includes(entry.id)) {
    expect(reading).toHaveProperty("problem");
  }
});

test("a reader of the corpus that skipped everything would be noticed", () => {
  expect(entries.length).toBeGreaterThanOrEqual(35);
});

test.each(["\\x00", "\\ud800"])("a text with %s is refused where text is allowed", (escaped) => {
  const problems = problemsIn(agentWith(["spec", "identity", "role"], `"a${escaped}b"`));
  expect(problems).toEqual([
    {
      path: "spec.identity.role",
      message: expect.stringMatching(/^holds (a NUL|half)/),
      line: 11,
      column: 11,
    },
  ]);
});

test.each([`\${HOME}`, `\${DATABASE_URL}`, `a\${`, `$\${x}`])(
  "%s is refused in what somebody sends",
  (value) => {
    const input = {
      apiVersion: "platform/v1",
      kind: "Agent",
      metadata: { name: "sample" },
      spec: { prompts: { system: value } },
    };
    expect(() => parseAgent(input, { registries: {} })).toThrow("spec.prompts.system holds");
  },
);
