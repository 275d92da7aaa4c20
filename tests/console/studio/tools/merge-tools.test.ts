import { expect, test } from "bun:test";
import { effectOf, mergeTools } from "../../../../src/console/studio/tools/merge-tools.ts";
import { toolTexts } from "../../../../src/console/texts/studio/resources.ts";
import { builtinTools } from "../../../../src/engine/tools/builtin/registry.ts";

const builtin = { name: "clock", description: "Tells the time.", parameters: { type: "object" } };

test("a built-in tool that agents have is listed once, as they have it", () => {
  const of = { name: "clock", type: "builtin", description: "The time of the desk.", agents: ["desk"] };
  expect(mergeTools([of], [builtin])).toEqual([{ ...of, isBuiltin: true, parameters: builtin.parameters }]);
});

test("tools of one name and several types are listed each, by name", () => {
  const tools = mergeTools(
    [
      { name: "clock", type: "webhook", description: "", agents: ["a"], parameters: { type: "object" } },
      { name: "act", type: "mcp", description: "", agents: ["a"] },
    ],
    [builtin],
  );
  expect(tools.map(({ name, type, isBuiltin }) => [name, type, isBuiltin])).toEqual([
    ["act", "mcp", false],
    ["clock", "builtin", true],
    ["clock", "webhook", false],
  ]);
  expect(tools[0]).not.toHaveProperty("parameters");
});

test("what changes things says what", () => {
  expect(effectOf({ name: "send_email", type: "builtin" })).toContain("mailbox");
  expect(effectOf({ name: "datetime_now", type: "builtin" })).toBeUndefined();
  expect(effectOf({ name: "send_email", type: "client" })).toBeUndefined();
  expect(effectOf({ name: "constructor", type: "builtin" })).toBeUndefined();
  expect(effectOf({ name: "anything", type: "mcp" })).toBeDefined();
});

test("every tool that is marked as changing things is one", () => {
  for (const name of Object.keys(toolTexts.effects)) expect(builtinTools.has(name)).toBe(true);
});
