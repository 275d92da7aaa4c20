import { describe, expect, test } from "bun:test";
import { checkInput } from "../../../../src/console/parts/schema-form/schema-form-check.ts";
import {
  type FormSchema,
  fieldKind,
  hasUnreadable,
  initialItem,
  initialValue,
  labelOf,
  readJson,
  UnreadableJson,
  withKey,
  writeJson,
} from "../../../../src/console/parts/schema-form/schema-form-value.ts";
import { builtinTools } from "../../../../src/engine/tools/builtin/registry.ts";

describe("what a value is put in by", () => {
  const rows: readonly [FormSchema, ReturnType<typeof fieldKind>][] = [
    [{ type: "string" }, "text"],
    [{ type: "string", enum: ["a", "b"] }, "choice"],
    [{ enum: [1, 2] }, "choice"],
    [{ enum: [{ a: 1 }] }, "json"],
    [{ type: "integer" }, "number"],
    [{ type: "boolean" }, "flag"],
    [{ type: "array", items: { type: "string" } }, "list"],
    [{ type: "array", items: {} }, "json"],
    [{ type: "array" }, "json"],
    [{ type: "object", properties: { a: { type: "string" } } }, "fields"],
    [{ type: "object", additionalProperties: true }, "json"],
    [{ type: ["string", "null"] }, "json"],
    [{}, "json"],
  ];
  for (const [schema, kind] of rows) {
    test(`${JSON.stringify(schema)}: ${kind}`, () => expect(fieldKind(schema)).toBe(kind));
  }
});

describe("what a form begins with", () => {
  test("defaults, and required objects with theirs", () => {
    const schema: FormSchema = {
      properties: {
        limit: { type: "integer", default: 5 },
        name: { type: "string" },
        deep: { type: "object", properties: { on: { type: "boolean", default: true } } },
        optional: { type: "object", properties: { on: { type: "boolean", default: true } } },
        list: { type: "array", items: { type: "string" } },
      },
      required: ["name", "deep", "list"],
    };
    expect(initialValue(schema)).toEqual({ limit: 5, deep: { on: true }, list: [] });
  });

  test("an element begins as its kind does", () => {
    expect(initialItem({ type: "string" })).toBe("");
    expect(initialItem({ type: "string", enum: ["a", "b"] })).toBe("a");
    expect(initialItem({ type: "number" })).toBeUndefined();
    expect(initialItem({ type: "object", properties: { n: { default: 3 } } })).toEqual({ n: 3 });
  });
});

describe("values", () => {
  test("a key that is given nothing is left out", () => {
    expect(withKey({ a: 1, b: 2 }, "a", undefined)).toEqual({ b: 2 });
    expect(withKey({ a: 1 }, "__proto__x", 2)).toEqual({ a: 1, __proto__x: 2 });
  });

  test("what is not JSON is a text where anything will do, and can't be read elsewhere", () => {
    expect(readJson("plain words", {})).toBe("plain words");
    expect(readJson("[1]", {})).toEqual([1]);
    expect(readJson("  ", { type: "object" })).toBeUndefined();
    const unread = readJson("{", { type: "object" });
    expect(unread).toBeInstanceOf(UnreadableJson);
    expect(writeJson(unread)).toBe("{");
    expect(hasUnreadable({ a: [{ b: unread }] })).toBe(true);
    expect(hasUnreadable({ a: [null, 1] })).toBe(false);
  });

  test("labels are words", () => {
    expect(labelOf("max_results", {})).toBe("Max results");
    expect(labelOf("x", { title: "The X" })).toBe("The X");
    expect(labelOf("_", {})).toBe("_");
  });
});

describe("checking an input", () => {
  const schema: FormSchema = {
    type: "object",
    properties: {
      name: { type: "string", minLength: 1, maxLength: 3 },
      count: { type: "integer", minimum: 1, maximum: 9 },
      tags: { type: "array", items: { type: "string", enum: ["a", "b"] }, maxItems: 2 },
      deep: { type: "object", properties: { on: { type: "boolean" } }, required: ["on"] },
    },
    required: ["name"],
    additionalProperties: false,
  };
  const rows: readonly [unknown, string[]][] = [
    [{ name: "abc", count: 3, tags: ["a"], deep: { on: true } }, []],
    [{}, ["name"]],
    [{ name: "" }, ["name"]],
    [{ name: "👋👋👋" }, []],
    [{ name: "abcd", count: 0.5 }, ["count", "name"]],
    [{ name: "a", count: 10 }, ["count"]],
    [{ name: "a", tags: ["a", "c"] }, ["tags.1"]],
    [{ name: "a", tags: ["a", "a", "a"] }, ["tags"]],
    [{ name: "a", deep: {} }, ["deep.on"]],
    [{ name: "a", other: 1 }, ["other"]],
    [{ name: "a", deep: new UnreadableJson("{") }, ["deep"]],
    [new UnreadableJson("{"), [""]],
  ];
  for (const [value, paths] of rows) {
    test(`${JSON.stringify(value)}: ${paths.join(", ") || "nothing"}`, () => {
      expect(Object.keys(checkInput(schema, value)).sort()).toEqual(paths);
    });
  }

  test("a form can be begun for every built-in tool, and asks for what it needs", () => {
    expect(builtinTools.size).toBeGreaterThan(10);
    for (const { parameters } of builtinTools.values()) {
      const read = parameters as FormSchema;
      const faults = Object.keys(checkInput(read, initialValue(read)));
      const asked = (read.required ?? []).filter((key) => read.properties?.[key]?.default === undefined);
      expect(new Set(faults)).toEqual(new Set(asked));
    }
  });
});
