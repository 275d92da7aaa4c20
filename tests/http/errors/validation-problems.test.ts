import { expect, test } from "bun:test";
import { type TSchema, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { SessionId } from "../../../src/contracts/daemon/runs/run.ts";
import { validationProblems } from "../../../src/http/errors/validation-problems.ts";

const messageOf = (schema: TSchema, value: unknown) =>
  validationProblems(Value.Errors(schema, value), schema).map(({ message }) => message);
const orNull = (schema: TSchema) => Type.Union([schema, Type.Null()]);

const table: [name: string, schema: TSchema, value: unknown, message: string][] = [
  [
    "a whole number above its range",
    orNull(Type.Integer({ minimum: 0, maximum: 10 })),
    11,
    "must be a whole number from 0 to 10 or null, got 11",
  ],
  [
    "a number below its least",
    orNull(Type.Number({ minimum: 0 })),
    -1,
    "must be a number of at least 0 or null, got -1",
  ],
  [
    "a number that must be above",
    orNull(Type.Number({ exclusiveMinimum: 0 })),
    0,
    "must be a number above 0 or null, got 0",
  ],
  [
    "a fraction",
    orNull(Type.Integer({ maximum: 9 })),
    1.5,
    "must be a whole number of at most 9 or null, got 1.5",
  ],
  ["no number", orNull(Type.Integer()), "secret words", "must be a whole number or null"],
  [
    "null first",
    Type.Union([Type.Null(), Type.Number({ maximum: 1 })]),
    2,
    "must be a number of at most 1 or null, got 2",
  ],
];
test.each(table)("a nullable number: %s", (_name, schema, value, message) => {
  expect(messageOf(schema, value)).toEqual([message]);
});

test.each<[TSchema, unknown, string]>([
  [Type.String({ minLength: 1 }), "", "must have at least 1 character"],
  [Type.String({ minLength: 8 }), "short", "must have at least 8 characters"],
  [Type.String({ maxLength: 3 }), "secret", "must have at most 3 characters"],
  [Type.Array(Type.String(), { minItems: 1 }), [], "must have at least 1 entry"],
  [Type.Array(Type.String(), { maxItems: 2 }), ["a", "b", "c"], "must have at most 2 entries"],
  [Type.Integer({ minimum: 1 }), 0, "must be a whole number of at least 1, got 0"],
  [Type.Integer({ minimum: 1, maximum: 200 }), 201, "must be a whole number from 1 to 200, got 201"],
  [Type.Integer({ exclusiveMinimum: 0 }), 0, "must be a whole number above 0, got 0"],
  [Type.Integer({ exclusiveMaximum: 9 }), 9, "must be a whole number below 9, got 9"],
  [Type.Number({ minimum: 0, maximum: 2 }), 2.5, "must be a number from 0 to 2, got 2.5"],
  [Type.Number({ maximum: 2 }), 3, "must be a number of at most 2, got 3"],
  [Type.Number({ exclusiveMinimum: 0 }), 0, "must be a number above 0, got 0"],
  [Type.Number({ exclusiveMaximum: 1 }), 1, "must be a number below 1, got 1"],
  [Type.Integer(), 1.5, "expected integer"],
  [Type.String({ minLength: 2, fault: "must be a name" }), "a", "must be a name"],
])("%j refuses %j in plain words", (schema, value, message) => {
  expect(messageOf(schema, value)).toEqual([message]);
});

const Labels = Type.Object({ name: Type.Optional(Type.String()) }, { additionalProperties: Type.Integer() });

test.each<[string, TSchema, unknown, { path: string; message: string }]>([
  ["a property", orNull(Labels), { name: null }, { path: "a.name", message: "expected string" }],
  ["a further property", orNull(Labels), { k: "x" }, { path: "a.k", message: "expected integer" }],
  ["an entry", orNull(Type.Array(Type.String())), ["x", 5], { path: "a[1]", message: "expected string" }],
  ["no object", orNull(Labels), 5, { path: "a", message: "expected object or null" }],
  ["a list", orNull(Labels), [], { path: "a", message: "expected object or null" }],
  [
    "two forms",
    Type.Union([Labels, Type.Array(Type.Null())]),
    { k: "x" },
    { path: "a", message: "expected object or array" },
  ],
  [
    "a fault of its own",
    Type.Union([Labels, Type.Null()], { fault: "must be labels" }),
    { k: "x" },
    { path: "a", message: "must be labels" },
  ],
])("an object or a list that may be null is described from inside: %s", (_name, schema, value, problem) => {
  const body = Type.Object({ a: schema });
  expect(validationProblems(Value.Errors(body, { a: value }), body)).toEqual([problem]);
});

test("a session id is not shown as a step in a path", () => {
  for (const id of [".", ".."]) expect(Value.Check(SessionId, id)).toBe(false);
  for (const id of ["...", ".a", "a.", "..a", "a/../b"]) expect(Value.Check(SessionId, id)).toBe(true);
});
