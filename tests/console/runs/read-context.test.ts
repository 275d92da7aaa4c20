import { expect, test } from "bun:test";
import { readContext } from "../../../src/console/runs/read-context.ts";

test.each([
  ["", {}],
  ["  \n", {}],
  ['{"plan": "gold"}', { context: { plan: "gold" } }],
  ["{", { fault: "syntax" }],
  ["[1]", { fault: "object" }],
  ["null", { fault: "object" }],
  ['"text"', { fault: "object" }],
  ['{"_internal": 1}', { fault: "reserved" }],
] as const)("%j is read as %j", (text, expected) => {
  expect(readContext(text)).toEqual(expected as ReturnType<typeof readContext>);
});
