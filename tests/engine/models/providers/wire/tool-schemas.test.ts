import { describe, expect, test } from "bun:test";
import {
  createToolFilter,
  grammarLimits,
  toolSchema,
} from "../../../../../src/engine/models/providers/wire/tool-schemas.ts";
import { builtinTools } from "../../../../../src/engine/tools/builtin/registry.ts";
import { isRecord } from "../../../../../src/kit/json/is-record.ts";

const object = (properties: unknown, more: object = {}) => ({ type: "object", properties, ...more });

describe("a schema as vendors take it", () => {
  const text = { type: "string" };
  const table: [name: string, given: Record<string, unknown>, sent: Record<string, unknown>][] = [
    ["no properties", { type: "object" }, object({})],
    ["nothing at all", {}, object({})],
    ["properties as a list", object([]), object({})],
    ["required: null", object({ a: text }, { required: null }), object({ a: text })],
    ["required names that are not texts", object({ a: text }, { required: [1] }), object({ a: text })],
    ["a list without items", object({ a: { type: "array" } }), object({ a: { type: "array", items: {} } })],
    [
      "a list of lists without items",
      object({ a: { type: "array", items: { type: "array" } } }),
      object({ a: { type: "array", items: { type: "array", items: {} } } }),
    ],
    [
      "a nullable list without items",
      object({ a: { type: ["array", "null"] } }),
      object({ a: { type: ["array", "null"], items: {} } }),
    ],
    [
      "a tuple by items",
      object({ a: { type: "array", items: [text, { type: "number" }] } }),
      object({ a: { type: "array", items: { anyOf: [text, { type: "number" }] } } }),
    ],
    [
      "a tuple by prefixItems",
      object({ a: { type: "array", prefixItems: [text, { type: "array" }] } }),
      object({ a: { type: "array", items: { anyOf: [text, { type: "array", items: {} }] } } }),
    ],
    [
      "anyOf at the top: what each branch requires is required",
      {
        type: "object",
        anyOf: [
          { properties: { a: text, b: text }, required: ["a", "b"] },
          { properties: { a: text, c: text }, required: ["a"] },
        ],
      },
      object({ a: text, b: text, c: text }, { required: ["a"] }),
    ],
    [
      "allOf at the top, by reference",
      { allOf: [{ $ref: "#/$defs/base" }], $defs: { base: object({ a: text }, { required: ["a"] }) } },
      object({ a: text }, { required: ["a"], $defs: { base: object({ a: text }, { required: ["a"] }) } }),
    ],
    [
      "a reference at the top",
      { $ref: "#/$defs/base", $defs: { base: object({ a: text }, { required: ["a"] }) } },
      object({ a: text }, { required: ["a"], $defs: { base: object({ a: text }, { required: ["a"] }) } }),
    ],
    ["a condition at the top", object({ a: text }, { not: { required: ["a"] } }), object({ a: text })],
    [
      "keywords that say nothing to a model",
      {
        $schema: "https://json-schema.org/draft/2020-12/schema",
        ...object({ a: { ...text, fault: "is odd" } }),
      },
      object({ a: text }),
    ],
    ["an object or nothing", { type: ["object", "null"], properties: { a: text } }, object({ a: text })],
  ];
  test.each(table)("%s", (_name, given, sent) => {
    expect(toolSchema(given)).toEqual(sent);
  });

  test("one without a fault is sent as it is", () => {
    const schema = object(
      { a: { $ref: "#/$defs/A" }, b: { type: "array", items: text } },
      { $defs: { A: text } },
    );
    expect(toolSchema(schema)).toBe(schema);
  });
});

describe("a tool is left out alone, with the reason, for", () => {
  const endless = (depth: number): object => (depth === 0 ? {} : object({ a: endless(depth - 1) }));
  test.each([
    ["a reference that leads nowhere", object({ a: { $ref: "#/$defs/Nope" } }), "#/$defs/Nope"],
    ["a reference to another document", object({ a: { $ref: "https://example.org/a.json" } }), "example.org"],
    ["parameters that are a text", { type: "string" }, "not an object"],
    ["a choice of texts", { oneOf: [{ type: "string" }, { type: "number" }] }, "not objects"],
    ["a schema of a hundred levels", endless(100), "too deeply"],
  ])("%s", (_name, parameters, reason) => {
    const reports: string[] = [];
    const filter = createToolFilter(undefined, (tool, why) => reports.push(`${tool}: ${why}`));
    const fine = { name: "fine", description: "", parameters: object({}) };
    const tools = [{ name: "odd", description: "", parameters: parameters as Record<string, unknown> }, fine];
    expect(filter(tools)).toEqual([fine]);
    expect(filter(tools)).toBe(filter(tools));
    expect(reports).toHaveLength(1);
    expect(reports[0]).toStartWith("odd: ");
    expect(reports[0]).toContain(reason);
  });
});

describe("for a server that makes a grammar of schemas", () => {
  test("long repetitions and open patterns are left out, short and whole ones stay", () => {
    const given = object({
      long: { type: "string", maxLength: 2000, minLength: 1 },
      short: { type: "string", maxLength: 1999 },
      open: { type: "string", pattern: "[^ ]" },
      ahead: { type: "string", pattern: "^(?!x)[a-z]+$" },
      whole: { type: "string", pattern: "^[a-z]+$" },
      list: { type: "array", items: {}, maxItems: 5000 },
    });
    expect(toolSchema(given, grammarLimits)).toEqual(
      object({
        long: { type: "string", minLength: 1 },
        short: { type: "string", maxLength: 1999 },
        open: { type: "string" },
        ahead: { type: "string" },
        whole: { type: "string", pattern: "^[a-z]+$" },
        list: { type: "array", items: {} },
      }),
    );
  });

  test("none of the built-in tools names more than it can parse", () => {
    const faults = [...builtinTools.values()].flatMap(({ name, parameters }) =>
      longRepetitions(toolSchema(parameters as Record<string, unknown>, grammarLimits)).map(
        (at) => `${name}${at}`,
      ),
    );
    expect(faults).toEqual([]);
  });
});

function longRepetitions(value: unknown, path = ""): string[] {
  if (Array.isArray(value)) return value.flatMap((one, at) => longRepetitions(one, `${path}/${at}`));
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([key, one]) =>
    /^m(?:in|ax)(?:Length|Items)$/.test(key) && Number(one) > 1999
      ? [`${path}/${key}`]
      : longRepetitions(one, `${path}/${key}`),
  );
}
