import { describe, expect, test } from "bun:test";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { openTools, toolFile } from "../../../../support/own-tools.ts";

const says = (name: string, word: string) =>
  toolFile(name, `return { success: true, data: ${JSON.stringify(word)} };`);

test("files of tools/ are tools, those of its folders, tests and declarations are not", async () => {
  using opened = await openTools({
    "tools/one.ts": says("one", "1"),
    "tools/two.js": "module.exports = { default: 1 };",
    "tools/lib/three.ts": says("three", "3"),
    "tools/one.test.ts": "throw new Error();",
    "tools/one.d.ts": "export {};",
    "tools/notes.md": "no",
  });
  expect(opened.tools.list().map(({ name, file, writes }) => [name, file, writes])).toEqual([
    ["one", "tools/one.ts", false],
  ]);
  expect(opened.tools.faults().map(({ file }) => file)).toEqual(["tools/two.js"]);
});

describe("the error of a broken file names its place:", () => {
  test.each<[string, string, number | undefined, string]>([
    ["a mistake of syntax", "export default {\n  name: 'x'\n  description: 'y',\n};", 3, 'Expected "}"'],
    [
      "an import that is not there",
      'import { a } from "./nope.ts";\nexport default { name: a };',
      1,
      "nope.ts",
    ],
    [
      "a failure while it is loaded",
      'const a: number = 1;\n\nthrow new Error("no config");\nexport default {};',
      3,
      "no config",
    ],
    ["no default export", "export const name = 'x';", 1, "default export"],
    ["a name that is none", "// one\nexport default { name: 'a b' };", 2, "name"],
    ["an unknown key", toolFile("x", "", "write: true,"), 2, "did you mean writes?"],
    ["no description", "export default { name: 'x' };", 1, "description"],
    ["no parameters", "export default { name: 'x', description: 'y' };", 1, "JSON Schema"],
    [
      "no execute",
      "export default { name: 'x', description: 'y', parameters: { type: 'object' } };",
      1,
      "execute",
    ],
    ["writes that is not a flag", toolFile("x", "", 'writes: "yes",'), 2, "writes"],
    [
      "a schema that can't be",
      toolFile("x", "").replace(
        '{ type: "object" }',
        '{ type: "object", properties: { a: { type: "txt" } } }',
      ),
      2,
      "parameters",
    ],
    ["the name of a built-in tool", toolFile("http_request", ""), 2, "built-in"],
    ["a name of the platform's", toolFile("send_message", ""), 2, "Argosy uses itself"],
    ["an end of its process", "process.exit(0);\nexport default {};", undefined, "process.exit"],
  ])("%s", async (_what, text, line, words) => {
    using opened = await openTools({ "tools/x.ts": text });
    expect(opened.tools.list()).toEqual([]);
    const [fault] = opened.tools.faults();
    expect(fault).toMatchObject({ file: "tools/x.ts", ...(line !== undefined && { line }) });
    expect(fault?.message).toContain(words);
  });
});

test("the last good version continues until the file is good again", async () => {
  using opened = await openTools({ "tools/one.ts": says("one", "first") });
  const first = opened.tools.find("one");
  opened.write({ "tools/one.ts": "export default {" });
  await opened.tools.look();
  expect(opened.tools.find("one")).toBe(first as never);
  expect(opened.tools.faults()).toMatchObject([{ file: "tools/one.ts", serving: "one" }]);
  expect(await opened.call("one")).toEqual({ success: true, data: "first" });
  expect(opened.logged.filter(({ event }) => event === "tool.refused")).toHaveLength(1);
  await opened.tools.look();
  expect(opened.logged.filter(({ event }) => event === "tool.refused")).toHaveLength(1);
  opened.write({ "tools/one.ts": says("one", "second") });
  await opened.tools.look();
  expect(opened.tools.faults()).toEqual([]);
  expect(await opened.call("one")).toEqual({ success: true, data: "second" });
});

test("a change of what a tool imports is a change of the tool", async () => {
  const tool = `import { word } from "./lib/word.ts";${toolFile("one", "return { success: true, data: word };")}`;
  using opened = await openTools({ "tools/lib/word.ts": 'export const word = "a";', "tools/one.ts": tool });
  expect(await opened.call("one")).toEqual({ success: true, data: "a" });
  opened.write({ "tools/lib/word.ts": 'export const word = "b";' });
  await opened.tools.look();
  expect(await opened.call("one")).toEqual({ success: true, data: "b" });
  opened.write({ "tools/lib/word.ts": 'export const word = "b' });
  await opened.tools.look();
  expect(opened.tools.faults()[0]?.message).toContain("imports tools/lib/word.ts, which has an error");
  expect(await opened.call("one")).toEqual({ success: true, data: "b" });
});

test("of two files with one name the one that had it keeps it", async () => {
  using opened = await openTools({ "tools/b.ts": says("one", "b") });
  opened.write({ "tools/a.ts": says("one", "a") });
  await opened.tools.look();
  expect(await opened.call("one")).toEqual({ success: true, data: "b" });
  expect(opened.tools.faults()).toMatchObject([
    { file: "tools/a.ts", message: expect.stringContaining("tools/b.ts") },
  ]);
  rmSync(join(opened.workspace, "tools/b.ts"));
  await opened.tools.look();
  expect(await opened.call("one")).toEqual({ success: true, data: "a" });
  expect(opened.tools.faults()).toEqual([]);
});

test.each([
  [
    "the documentation's sample",
    () => /```ts\n([\s\S]*?)```/.exec(readFileSync("docs/own-tools.md", "utf8"))?.[1],
  ],
  ["argosy init's sample", () => readFileSync("src/cli/workspace/init/stock-level.ts.eta", "utf8")],
])("%s is loaded and runs", async (_what, text) => {
  using opened = await openTools({ "tools/sample.ts": text() ?? "" });
  expect(opened.tools.faults()).toEqual([]);
  expect(await opened.call("stock_level", { sku: "A-100" })).toEqual({
    success: true,
    data: { sku: "A-100", units: 7 },
  });
  expect(await opened.call("stock_level", { sku: "Z" })).toMatchObject({ success: false });
});

test("a file that is removed takes its tool with it", async () => {
  using opened = await openTools({ "tools/one.ts": says("one", "1") });
  rmSync(join(opened.workspace, "tools"), { recursive: true });
  await opened.tools.look();
  expect(opened.tools.list()).toEqual([]);
});

describe("a workspace whose programs may not run", () => {
  const reason = "the workspace is not trusted";

  test("loads no file, gives the reason for each, and follows a change of mind", async () => {
    let refusal: string | undefined = reason;
    const files = { "tools/one.ts": says("one", "1"), "tools/two.ts": "throw new Error('ran');" };
    using opened = await openTools(files, { refusal: () => refusal });
    expect(opened.tools.list()).toEqual([]);
    expect(opened.tools.faults().map(({ file, message }) => [file, message])).toEqual([
      ["tools/one.ts", `is not loaded: ${reason}`],
      ["tools/two.ts", `is not loaded: ${reason}`],
    ]);
    refusal = undefined;
    await opened.tools.look();
    expect(await opened.call("one")).toEqual({ success: true, data: "1" });
    refusal = reason;
    expect(await opened.call("one")).toEqual({ success: false, error: `one is not run: ${reason}.` });
    await opened.tools.look();
    expect(opened.tools.list()).toEqual([]);
  });
});

test("without need, no file is loaded until a run asks, and all who ask at once wait for it", async () => {
  using opened = await openTools({ "tools/one.ts": says("one", "1") }, { isAwake: false });
  expect(opened.tools.list()).toEqual([]);
  expect(opened.tools.asleep()).toHaveLength(1);
  expect(opened.tools.mayHave("one")).toBe(true);
  const [first, second] = [opened.tools.ready(), opened.tools.ready()];
  expect(second).toBe(first as Promise<void>);
  await first;
  expect(opened.tools.ready()).toBeUndefined();
  expect(opened.tools.list().map(({ name }) => name)).toEqual(["one"]);
  expect(opened.tools.mayHave("two")).toBe(false);
});
