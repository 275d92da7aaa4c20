import { expect, test } from "bun:test";
import { outputJsonSchema } from "../../../src/manifest/agent/output-schema.ts";

test("the shorthand means an object with these fields", () => {
  expect(outputJsonSchema({ title: "string", tags: "array" })).toEqual({
    type: "object",
    properties: { title: { type: "string" }, tags: { type: "array" } },
    required: ["title", "tags"],
    additionalProperties: false,
  });
});

test.each([
  [{}],
  [{ type: "object" }],
  [{ type: "object", properties: { a: { type: "string" } } }],
  [{ $ref: "#/$defs/a" }],
  [{ title: "Something", type: "string" }],
])("%j is a JSON Schema already", (schema) => {
  expect(outputJsonSchema(schema)).toBe(schema);
});
