import { describe, expect, test } from "bun:test";
import { admitTool, type ServerTool } from "../../../../src/engine/tools/mcp/admit-tool.ts";

const schema = { type: "object", properties: { text: { type: "string" } } };
const tool = { name: "echo", description: "Says it again.", inputSchema: schema };

function admitted(given: unknown): ServerTool {
  const read = admitTool(given);
  if ("reason" in read) throw new Error(read.reason);
  return read;
}

function reasonOf(given: unknown): string | undefined {
  const read = admitTool(given);
  return "reason" in read ? read.reason : undefined;
}

function nested(depth: number): object {
  return depth === 0 ? { type: "string" } : { type: "object", properties: { a: nested(depth - 1) } };
}

test("a tool is taken as it describes itself, without the dialect of its schema", () => {
  const given = { ...tool, inputSchema: { $schema: "http://json-schema.org/draft-07/schema#", ...schema } };
  expect(admitted(given)).toMatchObject({ name: "echo", description: "Says it again.", parameters: schema });
});

test.each([
  ["no schema", { name: "a" }, { type: "object" }],
  ["a schema without a type", { name: "a", inputSchema: {} }, { type: "object" }],
])("%s is one of type object", (_, given, parameters) => {
  expect(admitted(given).parameters).toEqual(parameters);
});

describe("what can't be offered is refused with the reason", () => {
  test.each<[string, unknown, RegExp]>([
    ["no tool", 42, /no name/],
    ["a list", [], /no name/],
    ["no name", { ...tool, name: undefined }, /no name/],
    ["an empty name", { ...tool, name: "" }, /no name/],
    ["a long name", { ...tool, name: "n".repeat(129) }, /128 characters/],
    ["a schema that is a text", { ...tool, inputSchema: "object" }, /no object/],
    ["a schema that is a list", { ...tool, inputSchema: [] }, /no object/],
    ["a schema of another type", { ...tool, inputSchema: { type: "string" } }, /type object/],
    ["a deep schema", { ...tool, inputSchema: nested(40) }, /32 deep/],
    ["a very deep schema", { ...tool, inputSchema: nested(5000) }, /32 deep/],
    ["a long schema", { ...tool, inputSchema: { ...schema, title: "x".repeat(70_000) } }, /64 Ki/],
    [
      "a reference to elsewhere",
      {
        ...tool,
        inputSchema: { ...schema, properties: { a: { $ref: "http://169.254.169.254/schema.json" } } },
      },
      /outside/,
    ],
    [
      "a reference to a file",
      { ...tool, inputSchema: { allOf: [{ $ref: "file:///etc/passwd" }] } },
      /outside/,
    ],
    ["a tool that is a task", { ...tool, execution: { taskSupport: "required" } }, /task/],
  ])("%s", (_, given, reason) => {
    expect(reasonOf(given)).toMatch(reason);
  });

  test.each<[string, unknown]>([
    [
      "a reference inside",
      {
        ...tool,
        inputSchema: { $defs: { a: { type: "string" } }, properties: { a: { $ref: "#/$defs/a" } } },
      },
    ],
    [
      "a property called $ref",
      { ...tool, inputSchema: { type: "object", properties: { $ref: { type: "string" } } } },
    ],
    [
      "a pattern that takes for ever",
      { ...tool, inputSchema: { properties: { a: { pattern: "^(a+)+$" } } } },
    ],
    ["a hostile output schema", { ...tool, outputSchema: nested(5000) }],
    ["a task, if one likes", { ...tool, execution: { taskSupport: "optional" } }],
  ])("%s is nothing to refuse", (_, given) => {
    expect(reasonOf(given)).toBeUndefined();
  });
});

test("what a reader does not see is left out of descriptions, at any depth", () => {
  const hidden = "Adds\u202e two\u200b numbers.\u{e0049}\u{e0067}\u0007\u001b[31m\n\tReally.";
  const seen = "Adds two numbers.[31m\n\tReally.";
  const given = { ...tool, description: hidden, inputSchema: { properties: { a: { description: hidden } } } };
  expect(admitted(given).description).toBe(seen);
  expect(admitted(given).parameters).toEqual({ type: "object", properties: { a: { description: seen } } });
});

test("a long description keeps its beginning", () => {
  const { description } = admitted({ ...tool, description: `${"🦜".repeat(5000)}` });
  expect(description.length).toBeLessThanOrEqual(2049);
  expect(description.isWellFormed()).toBe(true);
});

test.each([
  ["description", { ...tool, description: "Sends it to me." }],
  ["a letter beyond what is shown", { ...tool, description: `Says it again.${"\u200b"}` }],
  ["parameters", { ...tool, inputSchema: { ...schema, required: ["text"] } }],
  ["output", { ...tool, outputSchema: schema }],
])("another %s is another hash", (_, changed) => {
  expect(admitted(changed).hash).not.toBe(admitted(tool).hash);
  expect(admitted(structuredClone(tool)).hash).toBe(admitted(tool).hash);
});

test.each([
  ["a key", { properties: { [`a${"\u200b"}b`]: {} } }],
  ["a value", { properties: { a: { enum: ["x\u{e0049}"] } } }],
])(
  "a schema with hidden characters in %s is not offered, as it could not be shown as it is",
  (_, inputSchema) => {
    expect(reasonOf({ ...tool, inputSchema })).toBe("has hidden characters in its input schema");
  },
);

test("a tool that only an MCP App may call is refused by name", () => {
  const app = (ui: unknown) => ({ ...tool, _meta: { ui } });
  expect(reasonOf(app({ visibility: ["app"] }))).toBe("is for MCP Apps only, which are not shown here");
  for (const ui of [
    { visibility: ["app", "model"] },
    { visibility: [] },
    { visibility: "app" },
    { resourceUri: "ui://a" },
    7,
  ])
    expect(admitted(app(ui)).name).toBe(tool.name);
});
