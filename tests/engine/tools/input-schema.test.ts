import { describe, expect, test } from "bun:test";
import type { InputRead } from "../../../src/engine/tools/bound-tool.ts";
import { readByJsonSchema } from "../../../src/engine/tools/input-schema.ts";
import { finish } from "../../support/at-once.ts";
import { workDone } from "../../support/work-done.ts";

function readerOf(schema: Record<string, unknown>): (input: unknown) => InputRead {
  const reader = readByJsonSchema(schema, "parameters");
  if ("problems" in reader) throw new Error(JSON.stringify(reader.problems));
  return (input) => finish(reader.read(input));
}

const schema = {
  $id: "urn:example:one",
  type: "object",
  properties: {
    city: { type: "string", pattern: "^(a+)+$" },
    days: { type: "integer", minimum: 1, default: 3 },
    unit: { enum: ["C", "F"] },
    where: {
      type: "object",
      properties: { lat: { type: "number" }, tags: { type: "array", default: ["x"] } },
      required: ["lat"],
      additionalProperties: false,
    },
  },
  required: ["city"],
  additionalProperties: false,
};

describe("an input that fits", () => {
  test("gets the defaults of what is missing, at any depth, and stays as it was", () => {
    const input = { city: "aa", where: { lat: 1 } };
    const read = readerOf(schema);
    for (let time = 0; time < 2; time++) {
      const given = read(input);
      expect(given).toEqual({ input: { city: "aa", days: 3, where: { lat: 1, tags: ["x"] } } });
      // A tool's change to its input must not change the default of the next call.
      if ("input" in given) (given.input.where as { tags: string[] }).tags.push("y");
    }
    expect(input).toEqual({ city: "aa", where: { lat: 1 } });
  });

  test("is read the same by any number of readers of one schema", () => {
    for (const read of [readerOf(schema), readerOf(schema)])
      expect(read({ city: "a" })).toHaveProperty("input");
  });

  test("may hold names that every object has", () => {
    const read = readerOf({ type: "object", properties: { toString: { type: "string", default: "x" } } });
    expect(read({})).toEqual({ input: { toString: "x" } });
  });
});

describe("an input that doesn't match names the reason", () => {
  const cases: [input: Record<string, unknown>, fault: RegExp][] = [
    [{}, /city is missing/],
    [{ city: 5 }, /city must be a string/],
    [{ city: "a", town: "b" }, /town is not allowed/],
    [{ city: "a", days: 0 }, /days must be >= 1/],
    [{ city: "a", unit: "K" }, /unit must be one of "C","F"/],
    [{ city: "a", where: { lon: 1 } }, /where\.lat is missing/],
    [{ city: "b" }, /city must match pattern/],
    [{ city: `${"a".repeat(20_000)}b` }, /city must match pattern|too long/],
  ];
  test.each(cases)("%j: %s", (input, fault) => {
    expect(readerOf(schema)(input)).toEqual({ fault: expect.stringMatching(fault) });
  });
});

test.each([
  [{ type: "object", properties: 5 }, "parameters.properties"],
  [{ type: "thing" }, "parameters.type"],
  [{ type: "object", properties: { a: { $ref: "#/$defs/none" } } }, "parameters.properties.a.$ref"],
  [{ type: "object", properties: { a: { pattern: "(?=x)" } } }, "parameters.properties.a.pattern"],
])("%j is not a schema", (broken, path) => {
  expect(readByJsonSchema(broken, "parameters")).toMatchObject({ problems: [{ path }] });
});

test("a large schema is compiled once, and others get a turn before the input is checked", () => {
  const properties = Object.fromEntries(Array.from({ length: 299 }, (_, n) => [`f${n}`, { type: "string" }]));
  const reader = readByJsonSchema({ type: "object", properties }, "parameters");
  if ("problems" in reader) throw new Error("It is refused.");
  const first = workDone(reader.read({ f1: 1 }));
  expect(first).toMatchObject({ value: { fault: expect.any(String) } });
  expect(first.pauses).toBeGreaterThanOrEqual(1);
  expect(workDone(reader.read({ f1: "1" }))).toEqual({ pauses: 0, value: { input: { f1: "1" } } });
});
