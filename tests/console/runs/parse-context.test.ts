import { expect, test } from "bun:test";
import { parseContext } from "../../../src/console/runs/parse-context.ts";

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
  expect(parseContext(text)).toEqual(expected as ReturnType<typeof parseContext>);
});
