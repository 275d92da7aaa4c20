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

test("a session id is no step in a path", () => {
  for (const id of [".", ".."]) expect(Value.Check(SessionId, id)).toBe(false);
  for (const id of ["...", ".a", "a.", "..a", "a/../b"]) expect(Value.Check(SessionId, id)).toBe(true);
});
