import { expect, test } from "bun:test";
import type { AgentManifest } from "../../src/manifest/agent/agent.ts";
import { checkReferences } from "../../src/manifest/check-references.ts";
import { parseAgent } from "../support/parse-agent.ts";

interface Leads {
  chain?: string[];
  tools?: string[];
  depth?: number;
}

function agents(all: Record<string, Leads>): AgentManifest[] {
  return Object.entries(all).map(([name, { chain, tools = [], depth = 5 }]) =>
    parseAgent(
      {
        apiVersion: "platform/v1",
        kind: "Agent",
        metadata: { name },
        spec: {
          tools: tools.map((agent) => ({ name: `ask_${agent}`, type: "agent", config: { agent } })),
          ...(chain && { chain: { max_depth: depth, on_complete: chain.map((agent) => ({ agent })) } }),
        },
      },
      { registries: {} },
    ),
  );
}

const tool = (index: number) => `spec.tools[${index}].config.agent`;
const link = (index: number) => `spec.chain.on_complete[${index}].agent`;

test.each<[string, Record<string, Leads>, string[]]>([
  ["nobody leads anywhere", { a: {}, b: {} }, []],
  ["all are there", { a: { chain: ["b"], tools: ["c"] }, b: {}, c: { tools: ["b"] } }, []],
  ["agents that call each other as tools may", { a: { tools: ["b"] }, b: { tools: ["a"] } }, []],
  ["a tool of nobody", { a: { tools: ["b", "c"] }, b: {} }, [`a: ${tool(1)} is not a loaded agent: c`]],
  [
    "a tool and a chain of nobody",
    { a: { tools: ["x"], chain: ["y"] } },
    [`a: ${link(0)} is not a loaded agent: y`, `a: ${tool(0)} is not a loaded agent: x`],
  ],
  [
    "who leads to a refused agent is refused too, from wherever",
    { d: { tools: ["c"] }, c: { chain: ["b"] }, b: { tools: ["nobody"] }, a: {}, e: { tools: ["a"] } },
    [
      `d: ${tool(0)} is an agent that can't be loaded: c`,
      `c: ${link(0)} is an agent that can't be loaded: b`,
      `b: ${tool(0)} is not a loaded agent: nobody`,
    ],
  ],
  [
    "a circle of chains, and a tool that leads to it",
    { a: { chain: ["b"] }, b: { chain: ["a"] }, c: { tools: ["a"] } },
    [
      "a: spec.chain.on_complete leads in a cycle: a → b → a",
      "b: spec.chain.on_complete leads in a cycle: b → a → b",
      `c: ${tool(0)} is an agent that can't be loaded: a`,
    ],
  ],
  [
    "too deep",
    { a: { chain: ["b"], depth: 1 }, b: { chain: ["c"] }, c: {} },
    ["a: spec.chain.max_depth is exceeded, the chain is 2 deep: a → b → c"],
  ],
])("%s", (_, all, expected) => {
  const told = checkReferences(agents(all)).map(
    ({ agent, problem }) => `${agent}: ${problem.path} ${problem.message}`,
  );
  expect(told).toEqual(expected);
});

test("a thousand agents in a row are refused because of the last", () => {
  const all = Object.fromEntries(
    Array.from({ length: 1000 }, (_, index) => [`a${index}`, { tools: [`a${index + 1}`] }]),
  );
  expect(checkReferences(agents(all))).toHaveLength(1000);
});
