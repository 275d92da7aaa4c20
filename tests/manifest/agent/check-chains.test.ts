import { expect, test } from "bun:test";
import type { AgentManifest } from "../../../src/manifest/agent/agent.ts";
import { checkChains } from "../../../src/manifest/agent/check-chains.ts";
import { parseAgent } from "../../support/parse-agent.ts";

/** Creates agents from `name: targets`; `a!b` is a link to a that falls back to b. */
function agents(links: Record<string, string[]>, maxDepth = 5): AgentManifest[] {
  return Object.entries(links).map(([name, targets]) => {
    const on_complete = targets.map((target) => {
      const [agent, on_error] = target.split("!");
      return on_error === undefined ? { agent } : { agent, on_error };
    });
    const spec = targets.length === 0 ? {} : { chain: { max_depth: maxDepth, on_complete } };
    return parseAgent(
      { apiVersion: "platform/v1", kind: "Agent", metadata: { name }, spec },
      { registries: {} },
    );
  });
}

const told = (list: AgentManifest[]) =>
  checkChains(list).map(({ agent, problem }) => `${agent}: ${problem.path} ${problem.message}`);

test.each<[string, Record<string, string[]>, string[]]>([
  ["no chains", { a: [], b: [] }, []],
  ["a tree and a diamond", { a: ["b", "c"], b: ["d"], c: ["d"], d: [] }, []],
  [
    "a missing agent",
    { a: ["b", "c"], b: [] },
    ["a: spec.chain.on_complete[1].agent is not a loaded agent: c"],
  ],
  [
    "a missing stand-in",
    { a: ["b!c"], b: [] },
    ["a: spec.chain.on_complete[0].on_error is not a loaded agent: c"],
  ],
  ["itself", { a: ["a"] }, ["a: spec.chain.on_complete leads in a cycle: a → a"]],
  [
    "a circle, and an agent that leads into it",
    { x: ["a"], a: ["b"], b: ["c"], c: ["a"], d: [] },
    [
      "x: spec.chain.on_complete leads in a cycle: x → a → b → c → a",
      "a: spec.chain.on_complete leads in a cycle: a → b → c → a",
      "b: spec.chain.on_complete leads in a cycle: b → c → a → b",
      "c: spec.chain.on_complete leads in a cycle: c → a → b → c",
    ],
  ],
  [
    "a circle through a stand-in",
    { a: ["b!a"], b: [] },
    ["a: spec.chain.on_complete leads in a cycle: a → a"],
  ],
])("%s", (_, links, expected) => {
  expect(told(agents(links))).toEqual(expected);
});

test("a chain may be as deep as its agent says, and no deeper", () => {
  const links = { a: ["b", "c"], b: ["c"], c: ["d"], d: [] };
  expect(told(agents(links, 3))).toEqual([]);
  expect(told(agents(links, 2))).toEqual([
    "a: spec.chain.max_depth is exceeded, the chain is 3 deep: a → b → c → d",
  ]);
});

test("many ways are walked once", () => {
  const links: Record<string, string[]> = {};
  for (let layer = 0; layer < 20; layer++) {
    for (const side of ["l", "r"])
      links[`${side}${layer}`] = layer === 19 ? [] : [`l${layer + 1}`, `r${layer + 1}`];
  }
  expect(told(agents(links, 20))).toEqual([]);
});
