import { describe, expect, test } from "bun:test";
import { parse } from "yaml";
import { addCollectionTool } from "../../../src/console/builder/manifest/collection-tool.ts";
import { starterManifest } from "../../../src/console/builder/manifest/starter-manifest.ts";
import { problemsIn } from "../../manifest/agent-text.ts";

const starter = starterManifest("assistant");

test.each(["teas", "a.b-c_d", "x".repeat(63)])("the starter with the collection %s is an agent", (name) => {
  const text = addCollectionTool(starter, name);
  expect(problemsIn(text)).toEqual([]);
  const [, tool] = parse(text).spec.tools;
  expect(tool.type).toBe("rag");
  expect(tool.config).toEqual({ collection: name });
});

describe("a stored agent", () => {
  const spec = starter.slice(0, starter.indexOf("  tools:"));
  test.each([
    ["with tools", starter],
    ["without tools", spec],
    ["with an empty list", `${spec}  tools: []\n`],
    ["with a key alone", `${spec}  tools:\n`],
    ["with a comment", starter.replace("  tools:\n", "  tools: # what it may use\n")],
  ])("%s gets one tool, and keeps the rest", (_, manifest) => {
    const text = addCollectionTool(manifest, "teas");
    expect(problemsIn(text)).toEqual([]);
    const before = parse(manifest);
    const added = { name: "search_teas", type: "rag", config: { collection: "teas" } };
    expect(parse(text)).toEqual({
      ...before,
      spec: { ...before.spec, tools: [...(before.spec.tools ?? []), added] },
    });
    if (manifest.includes("#")) expect(text).toContain("# ");
    expect(addCollectionTool(text, "teas")).toBe(text);
  });

  test("gets another name for the tool if one of its tools has it", () => {
    const text = addCollectionTool(addCollectionTool(starter, "tea.list"), "tea_list");
    expect(problemsIn(text)).toEqual([]);
    expect(parse(text).spec.tools.map((tool: { name: string }) => tool.name)).toEqual([
      "datetime_now",
      "search_tea_list",
      "search_tea_list-2",
    ]);
  });

  test.each(["", "metadata: [", "- a list", "spec: 3"])(
    "that is not an agent, %p, stays as it is",
    (text) => {
      expect(addCollectionTool(text, "teas")).toBe(text);
    },
  );
});
