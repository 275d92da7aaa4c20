import { expect, test } from "bun:test";
import { readContext } from "../../../../src/console/studio/playground/read-context.ts";
import { systemPromptOf } from "../../../../src/console/studio/playground/system-prompt-of.ts";

test.each([
  ["", {}],
  ["  \n", {}],
  ['{"name": "Ada"}', { name: "Ada" }],
  ["[1]", undefined],
  ["null", undefined],
  ["7", undefined],
  ["{name: 1}", undefined],
])("the context %p", (written, context) => {
  expect(readContext(written)).toEqual(context as Record<string, unknown>);
});

test("the system prompt of a manifest", async () => {
  expect(await systemPromptOf("spec:\n  prompts:\n    system: |-\n      Be brief.\n      Be kind.\n")).toBe(
    "Be brief.\nBe kind.",
  );
  expect(await systemPromptOf("spec: {}\n")).toBe("");
  expect(await systemPromptOf("")).toBe("");
});
