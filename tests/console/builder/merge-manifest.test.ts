import { expect, test } from "bun:test";
import fc from "fast-check";
import { parse } from "yaml";
import { mergeIntoManifest } from "../../../src/console/builder/manifest/merge-manifest.ts";

const path = ["spec", "output_schema"];
const text = `spec:
  output_schema: # the data
    type: object
    properties:
      # What to say.
      answer: {type: string} # short
      score: {type: number}
    required: [answer]
  tools: [] # none
`;
const schema = {
  type: "object",
  properties: { answer: { type: "string" }, score: { type: "number" } },
  required: ["answer"],
};

test("an equal value leaves the text alone", () => {
  expect(mergeIntoManifest(text, path, schema)).toBe(text);
  const { type, ...rest } = schema;
  expect(mergeIntoManifest(text, path, { ...rest, type })).toBe(text);
});

test("only what differs is written, and comments stay", () => {
  const changed = mergeIntoManifest(text, path, {
    ...schema,
    properties: { answer: { type: "string" }, score: { type: "integer" }, why: { type: "string" } },
    required: ["answer", "why"],
  });
  for (const kept of ["# the data", "# What to say.\n      answer: {type: string} # short", "# none"]) {
    expect(changed).toContain(kept);
  }
  expect(changed).toContain("score: {type: integer}");
  expect(parse(changed).spec.output_schema.required).toEqual(["answer", "why"]);
});

test("a mapping that becomes empty stays a mapping", () => {
  for (const next of [{ ...schema, properties: {} }, {}]) {
    expect(parse(mergeIntoManifest(text, path, next)).spec.output_schema).toEqual(next);
  }
});

test("any schema is read back as it was written", () => {
  const key = fc.string({ minLength: 1, maxLength: 6 }).filter((name) => name !== "__proto__");
  const value = fc.letrec((tie) => ({
    json: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom("string", "no", "1", "", "a: b", "#", true, false, null, 3),
      fc.array(tie("json"), { maxLength: 3 }),
      fc.dictionary(key, tie("json"), { maxKeys: 4, noNullPrototype: true }),
    ),
  })).json;
  const mapping = fc.dictionary(key, value, { maxKeys: 4, noNullPrototype: true });
  fc.assert(
    fc.property(mapping, mapping, (one, other) => {
      const first = mergeIntoManifest(text, path, one);
      const second = mergeIntoManifest(first, path, other);
      expect(parse(first).spec.output_schema).toEqual(one);
      expect(parse(second).spec.output_schema).toEqual(other);
      expect(second).toContain("tools: [] # none");
    }),
    { numRuns: 40 },
  );
});
