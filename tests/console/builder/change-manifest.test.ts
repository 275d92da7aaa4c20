import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { parse } from "yaml";
import {
  appendToManifest,
  changeManifest,
  renameInManifest,
} from "../../../src/console/builder/manifest/change-manifest.ts";

const agents = join(import.meta.dir, "../../../agents");

const manifest = `# What it is for.
apiVersion: platform/v1
kind: Agent
metadata:
    name:   hello   # stays
spec:
    model:
        primary: {provider: rehearsal,  model: rehearsal} # by hand
    prompts:
        # Short.
        system: |
            Be brief.

            Be kind.
    tools:
    - name: datetime_now
      type: builtin
`;

describe("a key gets another name", () => {
  const shape = `spec:
  output_schema: # data
    # What to say.
    answer:   string # first
    score: number
`;

  test("and keeps its value, its comments and its place", () => {
    expect(renameInManifest(shape, ["spec", "output_schema", "answer"], "reply")).toBe(`spec:
  output_schema: # data
    # What to say.
    reply:   string # first
    score: number
`);
  });

  test("that is quoted where YAML would read something else", () => {
    for (const name of ["1: yes", "null", "7", "a b", "# no", '"', "\\", "é", "-"]) {
      const renamed = renameInManifest(shape, ["spec", "output_schema", "score"], name);
      expect(parse(renamed).spec.output_schema).toEqual({ answer: "string", [name]: "number" });
    }
  });

  test("only if there is one", () => {
    expect(renameInManifest(shape, ["spec", "output_schema", "missing"], "x")).toBe(shape);
  });
});

describe("one value changes", () => {
  const cases: [what: string, path: (string | number)[], value: unknown, before: string, after: string][] = [
    ["a plain text", ["metadata", "name"], "night-owl", "hello ", "night-owl "],
    [
      "a text in a flow mapping",
      ["spec", "model", "primary", "model"],
      "a, b",
      "model: rehearsal}",
      'model: "a, b"}',
    ],
    ["a text that looks like a number", ["metadata", "name"], "12", "hello ", '"12" '],
    [
      "a block",
      ["spec", "prompts", "system"],
      "One.\n\n  Two.\n",
      "            Be brief.\n\n            Be kind.\n",
      "          One.\n\n            Two.\n",
    ],
    [
      "a block into a line",
      ["spec", "prompts", "system"],
      "One.",
      "|\n            Be brief.\n\n            Be kind.\n",
      "One.\n",
    ],
    [
      "a line into a block",
      ["spec", "tools", 0, "type"],
      "a\nb",
      "type: builtin\n",
      "type: |-\n        a\n        b\n",
    ],
  ];
  for (const [what, path, value, before, after] of cases) {
    test(`${what}, and nothing else`, () => {
      expect(manifest).toContain(before);
      expect(changeManifest(manifest, path, value)).toBe(manifest.replace(before, after));
    });
  }

  const values = [
    "true",
    "null",
    "- a",
    "a: b",
    "# no comment",
    " leading",
    "trailing ",
    "tab\there",
    "\n\nlines before",
    "lines after\n\n\n",
    "  indented\nless",
    "a\r\nb",
    "",
    "{}",
    "é 😀",
    "$HOME",
    "'",
    '"',
    0,
    -1.5,
    true,
  ];
  for (const value of values) {
    test(`reads back as it was given: ${JSON.stringify(value)}`, () => {
      for (const path of [
        ["spec", "prompts", "system"],
        ["spec", "model", "primary", "model"],
        ["metadata", "name"],
        ["spec", "identity", "role"],
      ]) {
        const changed = changeManifest(manifest, path, value);
        expect(path.reduce((at: unknown, key) => (at as Record<string, unknown>)[key], parse(changed))).toBe(
          value,
        );
        expect(changed).toContain("# Short.");
      }
    });
  }
});

test("any text reads back as it was given, at every place", () => {
  const paths = fc.constantFrom(
    ["spec", "prompts", "system"],
    ["spec", "model", "primary", "model"],
    ["spec", "tools", 0, "name"],
    ["spec", "identity", "role"],
  );
  const texts = fc.string({
    unit: fc.constantFrom(..."ab \n\t:#-{}[],&*!|>'\"%@`?~0é😀\\\r".split(/(?:)/u)),
    maxLength: 30,
  });
  fc.assert(
    fc.property(paths, texts, (path, value) => {
      const read = path.reduce<unknown>(
        (at, key) => (at as Record<string, unknown>)[key],
        parse(changeManifest(manifest, path, value)),
      );
      expect(read).toBe(value);
    }),
  );
});

describe("parts come and go", () => {
  test("a new part keeps comments and the manner of writing", () => {
    const changed = changeManifest(manifest, ["spec", "orchestration", "max_iterations"], 4);
    expect(changed).toBe(`${manifest}    orchestration:\n        max_iterations: 4\n`);
  });

  test("a section that became empty is removed with its last field", () => {
    const changed = changeManifest(manifest, ["spec", "prompts", "system"], undefined);
    expect(parse(changed).spec).toEqual({
      model: { primary: { provider: "rehearsal", model: "rehearsal" } },
      tools: [{ name: "datetime_now", type: "builtin" }],
    });
  });

  test("a key that had no value becomes a mapping", () => {
    expect(changeManifest("spec:\n  memory:\n", ["spec", "memory", "conversational", "max_turns"], 3)).toBe(
      "spec:\n  memory:\n    conversational:\n      max_turns: 3\n",
    );
  });

  test("items are added to a list, also to one that isn't there yet or is empty", () => {
    const item = { name: "cache_store", type: "builtin" };
    expect(parse(appendToManifest(manifest, ["spec", "tools"], item)).spec.tools).toEqual([
      { name: "datetime_now", type: "builtin" },
      item,
    ]);
    expect(appendToManifest("spec:\n  tools: []\n", ["spec", "tools"], item)).toBe(
      "spec:\n  tools:\n    - name: cache_store\n      type: builtin\n",
    );
    expect(parse(appendToManifest("spec: {}\n", ["spec", "tools"], item))).toEqual({
      spec: { tools: [item] },
    });
  });

  test("an item of a list is taken out", () => {
    expect(parse(changeManifest(manifest, ["spec", "tools", 0], undefined)).spec.tools).toBeUndefined();
  });
});

test("a shipped agent keeps every line when one part is added", () => {
  const files = readdirSync(agents);
  expect(files.length).toBeGreaterThan(10);
  for (const file of files) {
    const text = readFileSync(join(agents, file), "utf8");
    const lines = changeManifest(text, ["spec", "observability", "record"], true).split("\n");
    const lost = text.split("\n").filter((line) => !lines.includes(line));
    // The library moves a comment after a key whose value begins on the next line.
    expect([file, lost.filter((line) => !/: #/.test(line))]).toEqual([file, []]);
  }
});
