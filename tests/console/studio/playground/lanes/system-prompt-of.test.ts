import { expect, test } from "bun:test";
import { readManifest } from "../../../../../src/console/studio/playground/lanes/lane-override.ts";

const promptOf = async (manifest: string) => (await readManifest(manifest)).prompt;

test("the system prompt of a manifest", async () => {
  expect(await promptOf("spec:\n  prompts:\n    system: |-\n      Be brief.\n      Be kind.\n")).toBe(
    "Be brief.\nBe kind.",
  );
  expect(await promptOf("spec: {}\n")).toBe("");
  expect(await promptOf("")).toBe("");
});

test.each([
  ["spec: {model: {primary: {provider: lab, model: a/b}}}", "lab/a/b"],
  ["spec: {model: {primary: {model: a}}}", ""],
  ["spec: {}", ""],
  ["", ""],
])("the model of %p is %p", async (manifest, model) => {
  expect((await readManifest(manifest)).model).toBe(model);
});
