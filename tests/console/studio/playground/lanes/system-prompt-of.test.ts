import { expect, test } from "bun:test";
import { systemPromptOf } from "../../../../../src/console/studio/playground/lanes/lane-override.ts";

test("the system prompt of a manifest", async () => {
  expect(await systemPromptOf("spec:\n  prompts:\n    system: |-\n      Be brief.\n      Be kind.\n")).toBe(
    "Be brief.\nBe kind.",
  );
  expect(await systemPromptOf("spec: {}\n")).toBe("");
  expect(await systemPromptOf("")).toBe("");
});
