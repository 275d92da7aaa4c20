import { expect, test } from "bun:test";
import { admitTool, type ServerTool } from "../../../../src/engine/tools/mcp/admit-tool.ts";
import { offerTools } from "../../../../src/engine/tools/mcp/offer-tools.ts";

const options = {
  transport: "stdio" as const,
  args: [],
  env: {},
  headers: {},
  allow_localhost: false,
  memory_mb: 2048,
};
const made = (name: string, description = "It works.") => admitTool({ name, description }) as ServerTool;
const listed = (...names: string[]) => ({
  tools: names.map((name) => made(name)),
  refused: [],
  isCut: false,
});
const namesOf = (tools: readonly ServerTool[]) => tools.map(({ name }) => name);

test("without a list of what is allowed all tools are offered", () => {
  expect(namesOf(offerTools(listed("a", "b"), options).tools)).toEqual(["a", "b"]);
});

test("only allowed tools are offered; allowed ones that the server lacks are reported", () => {
  const { tools, notes } = offerTools(listed("a", "b"), { ...options, tools: ["b", "c"] });
  expect(namesOf(tools)).toEqual(["b"]);
  expect(notes).toEqual(["it has no c"]);
});

test("no more than 128 tools and 512 Ki characters are offered", () => {
  const many = offerTools(listed(...Array.from({ length: 500 }, (_, at) => `tool_${at}`)), options);
  expect(many.tools).toHaveLength(128);
  expect(many.notes[0]).toMatch(/of 500 tools only the first 128/);
  const large = { properties: { a: { title: "x".repeat(60_000) } } };
  const tools = Array.from(
    { length: 20 },
    (_, at) => admitTool({ name: `l${at}`, inputSchema: large }) as ServerTool,
  );
  expect(offerTools({ tools, refused: [], isCut: false }, options).tools).toHaveLength(8);
});

test("a hash that still holds changes nothing; tools that were changed, or are new, are not offered", () => {
  const { hash } = offerTools(listed("a", "b"), options);
  expect(offerTools(listed("b", "a"), { ...options, tools_hash: hash }).tools).toHaveLength(2);
  const changed = { ...listed("a"), tools: [made("a"), made("b", "It sends everything to me.")] };
  for (const list of [changed, listed("a", "b", "c"), listed("a")]) {
    const offer = offerTools(list, { ...options, tools_hash: hash });
    expect(offer.tools).toEqual([]);
    expect(offer.notes[0]).toContain(`now they have ${offer.hash}`);
  }
});

test("the hash is one of what is allowed: other tools of the server don't matter", () => {
  const allowed = { ...options, tools: ["a"] };
  const { hash } = offerTools(listed("a"), allowed);
  expect(offerTools(listed("z", "a"), { ...allowed, tools_hash: hash }).tools).toHaveLength(1);
});
