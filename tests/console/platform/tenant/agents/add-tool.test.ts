import { expect, test } from "bun:test";
import { addTool, toolNames } from "../../../../../src/console/platform/tenant/agents/add-tool.ts";

const clock = { name: "clock", type: "builtin" } as const;

test("a tool is added and comments stay", () => {
  const text = "# mine\nspec:\n  tools:\n    # first\n    - name: search\n      type: builtin\n";
  const added = addTool(text, clock);
  expect(toolNames(added)).toEqual(["search", "clock"]);
  expect(added).toContain("# mine");
  expect(added).toContain("# first");
});

test.each(["spec:\n  model: x\n", "spec:\n  tools: []\n"])("the first tool of %j", (text) => {
  const added = addTool(text, clock);
  expect(toolNames(added)).toEqual(["clock"]);
  expect(added).toContain("- name: clock");
});

test.each(["", "spec: [", "just text", "spec: 1\n", "spec:\n  tools:\n    - name: clock\n"])(
  "%j stays as it is",
  (text) => {
    expect(addTool(text, clock)).toBe(text);
  },
);

test("a text that can't be read has no tools", () => {
  for (const text of ["", "spec: [", "- a\n", "spec:\n  tools: 5\n", "spec:\n  tools: [null, {a: 1}]\n"]) {
    expect(toolNames(text)).toEqual([]);
  }
});
