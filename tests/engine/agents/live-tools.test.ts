import { describe, expect, test } from "bun:test";
import { createLiveTools } from "../../../src/engine/agents/live-tools.ts";
import type { BoundSource } from "../../../src/engine/tools/bind-tools.ts";
import { type BoundTool, readQuickly } from "../../../src/engine/tools/bound-tool.ts";
import type { TypedTool } from "../../../src/engine/tools/tool-type.ts";

const toolCalled = (name: string, description = "It works."): TypedTool => ({
  tool: {
    name,
    type: "mcp",
    description,
    parameters: {},
    execute: async () => ({ success: true, data: name }),
  },
  read: readQuickly((input) => ({ input: input as Record<string, unknown> })),
  timeoutMs: 1000,
});

/** A source whose list a test changes. */
function sourceOf(...names: string[]) {
  let tools = names.map((name) => toolCalled(name));
  const bound = {
    source: {
      entry: "lab",
      now: () => tools,
      ready: () => undefined,
      otherName: (name: string) => `${name}_other`,
    },
    terms: { proposes: true },
  } as unknown as BoundSource;
  return {
    bound,
    change: (...changed: string[]) => {
      tools = changed.map((name) => toolCalled(name));
    },
  };
}

const noWorkers = new Set<string>();
const fixed = new Map<string, BoundTool>([["clock", toolCalled("clock", "Fixed.")]]);

function liveOf(...sources: BoundSource[]) {
  const live = createLiveTools(fixed, sources, noWorkers);
  if (live === undefined) throw new Error("no live tools");
  return live;
}

test("an agent without servers has none", () => {
  expect(createLiveTools(fixed, [], noWorkers)).toBeUndefined();
});

test("as long as nothing changes the tools are the same object, for caches to know them by", () => {
  const { bound, change } = sourceOf("lab__a");
  const live = liveOf(bound);
  const before = live.now();
  expect(live.now()).toBe(before);
  expect(live.now().toolSpecs).toBe(before.toolSpecs);
  change("lab__a", "lab__b");
  expect([...live.now().tools.keys()]).toEqual(["clock", "lab__a", "lab__b"]);
  expect(live.now().toolTokens).toBeGreaterThan(before.toolTokens);
  // A running run keeps the tools it started with.
  expect([...before.tools.keys()]).toEqual(["clock", "lab__a"]);
});

describe("a name that is taken", () => {
  test("stays with the manifest's tool", () => {
    const { tools, toolSpecs } = liveOf(sourceOf("clock", "lab__a").bound).now();
    expect(tools.get("clock")?.tool.description).toBe("Fixed.");
    expect(tools.get("clock_other")?.tool).toMatchObject({ name: "clock_other", description: "It works." });
    expect(toolSpecs.map(({ name }) => name)).toEqual(["clock", "clock_other", "lab__a"]);
  });

  test("stays with the server that comes first; what has no name left is left out", () => {
    const sources = [sourceOf("x__a").bound, sourceOf("x__a", "x__a_other").bound, sourceOf("x__a").bound];
    expect([
      ...liveOf(...sources)
        .now()
        .tools.keys(),
    ]).toEqual(["clock", "x__a", "x__a_other", "x__a_other_other"]);
  });
});

test("the terms of the entry go with each of its tools", () => {
  const { tools } = liveOf(sourceOf("lab__a", "lab__b").bound).now();
  expect([...tools.values()].map(({ proposes }) => proposes)).toEqual([undefined, true, true]);
});
