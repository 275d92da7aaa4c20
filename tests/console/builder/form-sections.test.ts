import { describe, expect, test } from "bun:test";
import { freeRoles } from "../../../src/console/builder/manifest/model-roles.ts";
import {
  fieldNameRefusal,
  freeFieldName,
  readSchemaText,
} from "../../../src/console/builder/manifest/output-fields.ts";
import { isOutputShorthand, outputJsonSchema } from "../../../src/manifest/agent/output-schema.ts";

const common = ["planner", "worker", "synthesizer", "supervisor", "summarizer"];

describe("roles that a manifest may still declare", () => {
  const cases: [what: string, spec: object, roles: string[]][] = [
    ["all, with the default stages", {}, [...common, "stage:analyze", "stage:process", "stage:synthesize"]],
    [
      "not those it has",
      { model: { roles: { planner: { candidates: [] }, "stage:process": null } } },
      [...common.slice(1), "stage:analyze", "stage:synthesize"],
    ],
    [
      "its own stages that have a name, each once",
      { orchestration: { stages: [{ name: "draft" }, { name: "" }, {}, null, "x", { name: "draft" }] } },
      [...common, "stage:draft"],
    ],
    ["with roles that are not a mapping", { model: { roles: 3 }, orchestration: { stages: [] } }, common],
  ];
  for (const [what, spec, roles] of cases) test(what, () => expect(freeRoles({ spec })).toEqual(roles));
});

describe("fields of the output schema", () => {
  test("a name is refused if it is empty, taken, or reads as a JSON Schema", () => {
    expect(fieldNameRefusal(" ", [])).toBe("A field needs a name.");
    expect(fieldNameRefusal("a", ["a"])).toBe("Another field is named a.");
    expect(fieldNameRefusal("type", [])).toContain("cannot be named type");
    expect(fieldNameRefusal("type", ["a"])).toBeUndefined();
    expect(fieldNameRefusal("a", ["b"])).toBeUndefined();
  });

  test("a new field gets a free name", () => {
    expect(freeFieldName([])).toBe("field");
    expect(freeFieldName(["field", "field_2"])).toBe("field_3");
  });

  test("a schema is JSON whose root is an object", () => {
    expect(readSchemaText('{"type":"object"}')).toEqual({ schema: { type: "object" } });
    for (const text of ["[]", "null", "1", '"a"']) {
      expect(readSchemaText(text)).toEqual({ refusal: expect.stringContaining("a schema is a JSON object") });
    }
    expect(readSchemaText('{"a":')).toEqual({ refusal: expect.stringContaining("is not JSON: ") });
  });

  test("the shorthand is converted to the schema that it means", () => {
    expect(isOutputShorthand({ type: "object" })).toBe(false);
    expect(isOutputShorthand({})).toBe(false);
    expect(isOutputShorthand({ type: "string", a: "number" })).toBe(true);
    expect(isOutputShorthand({ a: "text" })).toBe(false);
    const long = outputJsonSchema({ a: "number" });
    expect(long).toEqual({
      type: "object",
      properties: { a: { type: "number" } },
      required: ["a"],
      additionalProperties: false,
    });
    expect(outputJsonSchema(long)).toBe(long);
  });
});
