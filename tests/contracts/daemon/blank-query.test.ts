import { expect, test } from "bun:test";
import { Value } from "@sinclair/typebox/value";
import { Query } from "../../../src/contracts/daemon/runs/run.ts";

const schema = Query("A query.");

test.each([" ", "\n", "\t \r\n", "\u00a0\u3000", "\ufeff", "\u200b\u2060", "\u2028", ""])(
  "%p is not a query",
  (text) => {
    expect(Value.Check(schema, text)).toBe(false);
  },
);

test.each(["a", " a", ".", "\n?\n", "é", "日本", "👍", "\u200bx"])("%p is a query", (text) => {
  expect(Value.Check(schema, text)).toBe(true);
});
