import { expect, test } from "bun:test";
import { contentOf } from "../../../../../src/engine/tools/network/answer/answer-content.ts";
import { workDone } from "../../../../support/work-done.ts";

const contentIn = (text: string) =>
  workDone(
    contentOf({
      body: new TextEncoder().encode(text),
      headers: new Headers({ "content-type": "application/json" }),
    }),
  );

test("a large answer is read in pieces, and one of too many values is text", () => {
  const text = `["${"x".repeat(5_000_000)}",${'{"a":1},'.repeat(40_000)}{}]`;
  const { pauses, value } = contentIn(text);
  expect(pauses).toBeGreaterThan(10);
  expect(value).toHaveProperty("json");

  const many = `[${"1,".repeat(100_000)}1]`;
  expect(contentIn(many).value).toEqual({ text: many });
});
