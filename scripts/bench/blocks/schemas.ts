import { createSchemaAllowance } from "../../../src/engine/structured/schema-allowance.ts";
import { checkBySchema } from "../../../src/engine/structured/schema-check.ts";
import { compileStructuredOutput } from "../../../src/engine/structured/structured-output.ts";
import { readByJsonSchema } from "../../../src/engine/tools/input-schema.ts";
import { inPieces } from "../../../src/kit/concurrency/others-turn.ts";
import { fields, fill, fiveRules, MIB, times } from "../hostile.ts";
import type { BlockRow } from "./block-row.ts";

const names = (count: number) => times(count, (n) => `a${n}`);

/** Schemas of tools and answers, and values that are checked against them. */
export const schemaRows = (): BlockRow[] => {
  const bound: [string, object][] = [
    ["128 tools of 20 fields", fields(20, { type: "string" })],
    ["128 tools of 299 fields", fields(299, { type: "string" })],
    ["128 tools of 5 patterns", fields(5, { type: "string", pattern: "(?:a|b|c){300}" })],
  ];
  const many = times(100_000, (n) => n);
  const checks: [string, object, unknown][] = [
    ["compiling 299 fields", fields(299, { type: "string", minLength: 1 }), {}],
    ["compiling 199 fields of five rules", fields(199, fiveRules), {}],
    ["60 lists of 190 required names", fields(60, { required: names(190) }), {}],
    ["99 enums of 100 values", fields(99, { enum: many.slice(0, 100) }), {}],
    [
      "3,000 dependent names",
      { dependentRequired: Object.fromEntries(names(3000).map((name) => [name, ["a"]])) },
      {},
    ],
    [
      "200 patterns of names",
      { patternProperties: Object.fromEntries(names(200).map((name) => [`^${name}`, { minimum: 0 }])) },
      {},
    ],
    ["many rules for every item", { items: { allOf: Array(290).fill({ minimum: 0 }) } }, many],
    ["every item wrong", { items: { type: "string" } }, many],
    ["an enum of thousands", { items: { enum: many.slice(0, 5000) } }, many.slice(0, 5000)],
    ["unique items", { uniqueItems: true }, many],
    ["a large pattern on a long text", { pattern: "(?:a|b|c){300}$" }, fill("abc", MIB)],
    ["unique objects", { uniqueItems: true }, many.slice(0, 75_000).map((n) => ({ a: { b: n } }))],
  ];
  const compiled: [string, object][] = [
    ["2,000 properties", fields(2000, { type: "string", pattern: "^a{1,20}$" })],
    ["nested anyOf", nested(50)],
    ["a long enum", fields(1, { enum: times(150_000, (n) => n) })],
  ];
  return [
    ...compiled.map(([name, schema]) => ({
      input: `output_schema: ${name}`,
      size: "one agent",
      work: () => compileStructuredOutput(schema as never, "spec.output_schema"),
    })),
    ...bound.map(([name, schema]) => ({
      input: `tool parameters: ${name}`,
      size: "one agent",
      work() {
        const allowance = createSchemaAllowance();
        for (let tool = 0; tool < 128; tool++) readByJsonSchema(schema as never, "spec", allowance);
      },
    })),
    ...checks.map(([name, schema, value]) => ({
      input: `checking a value by a schema: ${name}`,
      size: "one value",
      work: () => inPieces(checkBySchema(schema as never)(value)),
    })),
  ];
};

/** Returns a schema with that many levels and two choices on each. */
function nested(levels: number): object {
  return levels === 0
    ? { type: "number" }
    : { anyOf: [nested(levels - 1), { type: "string", minLength: levels }] };
}
