import { describe, expect, test } from "bun:test";
import { compileStructuredOutput } from "../../../src/engine/structured/structured-output.ts";
import { AppError } from "../../../src/kit/app-error.ts";
import { processorMs } from "../../support/processor-time.ts";

const at = "spec.output_schema";

function problemsOf(declared: Record<string, unknown>): string[] {
  try {
    compileStructuredOutput(declared, at);
    return [];
  } catch (thrown) {
    if (!(thrown instanceof AppError)) throw thrown;
    expect(thrown.code).toBe("invalid_manifest");
    return (thrown.details.problems ?? []).map(({ path, message }) => `${path} ${message}`);
  }
}

/** Nests `levels` schemas, each in the `items` of the previous one. */
function nested(levels: number): Record<string, unknown> {
  return levels === 1 ? { type: "string" } : { items: nested(levels - 1) };
}

const properties = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, { type: "string" }]));

describe("the schema", () => {
  test("of the shorthand goes to the model, in the prompt and natively", () => {
    const { schema, instruction } = compileStructuredOutput({ city: "string", tags: "array" }, at);
    expect(schema).toEqual({
      name: "answer",
      schema: {
        type: "object",
        properties: { city: { type: "string" }, tags: { type: "array" } },
        required: ["city", "tags"],
        additionalProperties: false,
      },
    });
    expect(instruction).toEndWith(`\n${JSON.stringify(schema.schema)}`);
    expect(instruction).toContain("```json");
  });

  test("has the same words each time", () => {
    const [one, other] = [1, 2].map(() => compileStructuredOutput({ city: "string" }, at).instruction);
    expect(one).toBe(other ?? "");
  });

  const accepted: [name: string, declared: Record<string, unknown>][] = [
    ["nothing declared of it", {}],
    ["every keyword", everyKeyword()],
    [
      "a dialect and a name",
      { $schema: "https://json-schema.org/draft/2020-12/schema", $id: "https://x.example/y" },
    ],
    ["a value inside that has its own form", { properties: { child: { $ref: "#" } } }],
    ["definitions of older drafts", { definitions: { a: { type: "string" } }, $ref: "#/definitions/a" }],
    [
      "names that have a meaning in pointers",
      { $defs: { "a/b~c d": {} }, properties: { x: { $ref: "#/$defs/a~1b~0c%20d" } } },
    ],
    [
      "names that objects have by themselves",
      { properties: { constructor: {}, toString: { type: "string" } }, required: ["toString"] },
    ],
    ["32 levels", nested(32)],
    ["hundreds of fields", { properties: properties(299) }],
  ];
  test.each(accepted)("with %s is taken", (_name, declared) => {
    expect(problemsOf(declared)).toEqual([]);
  });

  const refused: [name: string, declared: Record<string, unknown>, problem: string][] = [
    [
      "a misspelt keyword",
      { type: "object", propertys: {} },
      "spec.output_schema.propertys is not a keyword of JSON Schema; did you mean properties?",
    ],
    [
      "a misspelt type in the shorthand",
      { city: "sting", age: "integer" },
      "spec.output_schema.city is not a keyword of JSON Schema",
    ],
    [
      "a field outside properties",
      { type: "object", city: { type: "string" } },
      "fields stand under properties",
    ],
    ["a type that is none", { type: "text" }, "spec.output_schema.type must be one of string,"],
    ["a type given twice", { type: ["string", "string"] }, "spec.output_schema.type must be one of"],
    [
      "a type inside that is none",
      { properties: { a: { items: { type: "int" } } } },
      "spec.output_schema.properties.a.items.type must be one of",
    ],
    [
      "OpenAPI's nullable",
      { properties: { a: { type: "string", nullable: true } } },
      'spec.output_schema.properties.a.nullable is not JSON Schema; write `type: [string, "null"]`',
    ],
    [
      "a list of items",
      { items: [{ type: "string" }] },
      "spec.output_schema.items must be one schema; prefixItems",
    ],
    [
      "required as a flag",
      { properties: { a: { required: true } } },
      "spec.output_schema.properties.a.required must be a list of names",
    ],
    [
      "required with a repeat",
      { required: ["a", "a"] },
      "spec.output_schema.required must be a list of names, each once",
    ],
    [
      "an empty choice",
      { anyOf: [] },
      "spec.output_schema.anyOf must be a list of schemas with at least one",
    ],
    ["a choice of no schemas", { anyOf: ["string"] }, "spec.output_schema.anyOf[0] must be a schema"],
    [
      "properties that are none",
      { properties: ["a"] },
      "spec.output_schema.properties must be a mapping of names to schemas",
    ],
    [
      "a property that is not a schema",
      { properties: { a: "string" } },
      "spec.output_schema.properties.a must be a schema",
    ],
    [
      "a negative length",
      { minLength: -1 },
      "spec.output_schema.minLength must be a whole number, 0 or more",
    ],
    ["a length with a fraction", { maxItems: 1.5 }, "spec.output_schema.maxItems must be a whole number"],
    ["a limit that is a text", { minimum: "1" }, "spec.output_schema.minimum must be a number"],
    ["a multiple of nothing", { multipleOf: 0 }, "spec.output_schema.multipleOf must be a number above 0"],
    ["an empty enum", { enum: [] }, "spec.output_schema.enum must be a list of values with at least one"],
    ["a flag that is a text", { uniqueItems: "yes" }, "spec.output_schema.uniqueItems must be true or false"],
    [
      "names to no names",
      { dependentRequired: { a: "b" } },
      "spec.output_schema.dependentRequired must be a mapping of names to lists of names",
    ],
    [
      "a format that nobody checks",
      { format: "iban" },
      "spec.output_schema.format must be one of date, time,",
    ],
    [
      "a format by the name of a method",
      { format: "constructor" },
      "spec.output_schema.format must be one of",
    ],
    [
      "a pattern that looks ahead",
      { pattern: "(?=a)b" },
      "spec.output_schema.pattern can't be matched in linear time",
    ],
    [
      "a pattern that refers back",
      { pattern: "(a)\\1" },
      "spec.output_schema.pattern can't be matched in linear time",
    ],
    [
      "a pattern that is none",
      { pattern: "(" },
      "spec.output_schema.pattern can't be matched in linear time (missing closing )",
    ],
    ["a pattern that is a number", { pattern: 7 }, "spec.output_schema.pattern must be a regular expression"],
    [
      "a pattern of names that looks ahead",
      { patternProperties: { "(?!x)": {} } },
      "spec.output_schema.patternProperties.(?!x) can't be matched",
    ],
    [
      "a pattern without end",
      { pattern: "a".repeat(1001) },
      "spec.output_schema.pattern may have at most 1000 characters",
    ],
    [
      "a pattern that repeats without end",
      { pattern: "[a-z]{700}[a-z]{700}[a-z]{700}" },
      "spec.output_schema.pattern is too large a pattern",
    ],
    [
      "an exponential pattern",
      { pattern: "((a{1,100}){1,100}){1,100}" },
      "spec.output_schema.pattern can't be matched",
    ],
    [
      "patterns that are too large together",
      { anyOf: Array.from({ length: 30 }, (_, index) => ({ pattern: `[a-z]{900}${index}` })) },
      "is one pattern too many",
    ],
    [
      "another dialect",
      { $schema: "http://json-schema.org/draft-07/schema#" },
      "spec.output_schema.$schema must be https://json-schema.org/draft/2020-12/schema, or be left out",
    ],
    [
      "a schema from elsewhere",
      { $ref: "https://schemas.example/city.json" },
      "spec.output_schema.$ref must point into this schema",
    ],
    [
      "a schema from a file",
      { properties: { a: { $ref: "file:///etc/passwd" } } },
      "spec.output_schema.properties.a.$ref must point into this schema",
    ],
    ["an anchor", { $ref: "#city" }, "spec.output_schema.$ref must point into this schema"],
    [
      "a name inside",
      { properties: { a: { $id: "x" } } },
      "spec.output_schema.properties.a.$id may stand at the top only",
    ],
    ["a dynamic reference", { $dynamicRef: "#a" }, "spec.output_schema.$dynamicRef is not available"],
    [
      "a reference to nothing",
      { $ref: "#/$defs/a" },
      "spec.output_schema.$ref points at nothing that is a schema",
    ],
    [
      "a reference to no schema",
      { required: ["a"], properties: { a: { $ref: "#/required" } } },
      "spec.output_schema.properties.a.$ref points at nothing that is a schema",
    ],
    [
      "a broken escape in a reference",
      { $ref: "#/%zz" },
      "spec.output_schema.$ref points at nothing that is a schema",
    ],
    [
      "a reference to itself",
      { $ref: "#" },
      "spec.output_schema refers to itself for the same value, without end",
    ],
    [
      "a circle of references",
      { $defs: { a: { allOf: [{ $ref: "#/$defs/b" }] }, b: { not: { $ref: "#/$defs/a" } } } },
      "refers to itself for the same value",
    ],
    ["too many levels", nested(33), "is nested too deep: schemas may stand 32 deep in each other"],
    [
      "too many schemas",
      { properties: properties(600) },
      "spec.output_schema may consist of 300 schemas at most",
    ],
    [
      "too many rules",
      {
        properties: Object.fromEntries(
          Array.from({ length: 200 }, (_, at) => [
            `p${at}`,
            { type: "string", minLength: 1, maxLength: 9, const: "a", format: "uri" },
          ]),
        ),
      },
      "spec.output_schema may have 1000 rules at most",
    ],
    ["too long a text", { description: "x".repeat(70_000) }, "spec.output_schema may have 64 KiB at most"],
  ];
  test.each(refused)("with %s is refused", (_name, declared, problem) => {
    expect(problemsOf(declared).join("\n")).toContain(problem);
  });

  test("is refused with all that is wrong, fifty faults at most", () => {
    const fields = Object.fromEntries(Array.from({ length: 80 }, (_, index) => [`f${index}`, { type: "x" }]));
    expect(problemsOf({ properties: fields })).toHaveLength(50);
    expect(problemsOf({ type: "x", minimum: "y" })).toHaveLength(2);
  });

  test("of any size is compiled, or refused, in a moment", () => {
    const large: Record<string, unknown>[] = [
      { properties: properties(299) },
      {
        anyOf: Array.from({ length: 490 }, (_, index) => ({ required: [`a${index}`] })),
        unevaluatedProperties: false,
      },
      { anyOf: Array.from({ length: 20 }, (_, index) => ({ pattern: `[a-z]{400}${index}` })) },
      { enum: Array.from({ length: 9000 }, (_, index) => index) },
      {
        allOf: Array.from({ length: 480 }, () => ({ $ref: "#/$defs/a" })),
        $defs: { a: { properties: properties(10) } },
      },
    ];
    for (const declared of large) {
      expect(processorMs(() => problemsOf(declared))).toBeLessThan(1500);
    }
  });
});

function everyKeyword(): Record<string, unknown> {
  return {
    $comment: "all of them",
    title: "t",
    description: "d",
    default: null,
    examples: [{ a: 1 }],
    deprecated: false,
    readOnly: false,
    writeOnly: false,
    $defs: { leaf: { type: ["string", "null"] } },
    type: ["object", "array", "string", "number"],
    enum: [{ a: 1 }, [1], "x", 1],
    multipleOf: 0.5,
    minimum: 0,
    maximum: 9,
    exclusiveMinimum: -1,
    exclusiveMaximum: 10,
    minLength: 0,
    maxLength: 5,
    pattern: "^\\w*$",
    format: "uuid",
    items: { $ref: "#/$defs/leaf" },
    prefixItems: [true, { const: 1 }],
    contains: {},
    minContains: 0,
    maxContains: 3,
    minItems: 0,
    maxItems: 3,
    uniqueItems: true,
    unevaluatedItems: false,
    properties: { a: { not: { const: 2 } } },
    patternProperties: { "^x-": true },
    additionalProperties: false,
    unevaluatedProperties: false,
    propertyNames: { maxLength: 10 },
    required: [],
    dependentRequired: { b: ["a"] },
    dependentSchemas: { b: { minProperties: 1 } },
    minProperties: 0,
    maxProperties: 10,
    allOf: [true],
    anyOf: [true],
    oneOf: [true],
    if: { type: "object" },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
    then: true,
    else: true,
  };
}
