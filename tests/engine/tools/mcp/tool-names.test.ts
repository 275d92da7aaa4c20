import { expect, test } from "bun:test";
import fc from "fast-check";
import { hashedName, modelName } from "../../../../src/engine/tools/mcp/tool-names.ts";

test.each([
  ["files", "read_file", "files__read_file"],
  ["a", "get-sum", "a__get-sum"],
  ["a", "x".repeat(61), `a__${"x".repeat(61)}`],
])("%s and %s make %s", (entry, tool, name) => {
  expect(modelName(entry, tool)).toBe(name);
});

test.each([
  ["files", "read.file"],
  ["files", "read file"],
  ["files", "читать"],
  ["files", "🦜"],
  ["files", ""],
  ["files", "../../etc"],
  ["a", "x".repeat(62)],
  ["e".repeat(64), "read"],
])("%s and %j make a name that ends in a hash of them", (entry, tool) => {
  const name = modelName(entry, tool);
  expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
  expect(name).toMatch(/_[0-9a-f]{8}$/);
  expect(name).toBe(hashedName(entry, tool));
});

test("the same tool always has the same name, two tools never have one", () => {
  const entry = fc.stringMatching(/^[A-Za-z0-9_-]{1,64}$/);
  const tool = fc.oneof(fc.string({ maxLength: 90 }), fc.stringMatching(/^[a-z._/-]{1,70}$/));
  fc.assert(
    fc.property(entry, fc.uniqueArray(tool, { maxLength: 20 }), (name, tools) => {
      const names = tools.map((one) => modelName(name, one));
      expect(new Set(names).size).toBe(tools.length);
      expect(names).toEqual(tools.map((one) => modelName(name, one)));
      for (const made of names) expect(made).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    }),
  );
});
