import { describe, expect, test } from "bun:test";
import type { Model, ModelRequest } from "../../../src/engine/models/model.ts";
import { type StrategyName, strategies } from "../../../src/engine/models/strategies/strategies.ts";
import type { Standing } from "../../../src/engine/models/strategies/strategy.ts";
import { routingStrategies } from "../../../src/manifest/agent/model.ts";
import { requestOf, scriptedModel } from "../../support/scripted-model.ts";

const standing = (
  provider: string,
  fields: Partial<Standing> = {},
  model: Partial<Model> = {},
): Standing => ({
  model: scriptedModel({ ...model, provider }),
  price: undefined,
  latencyMs: undefined,
  triedAtCall: -1,
  ...fields,
});

function order(
  name: StrategyName,
  candidates: Standing[],
  number = 0,
  request: ModelRequest = requestOf("hi"),
): string {
  return strategies[name](candidates, { number, request })
    .map(({ model }) => model.provider)
    .join(" ");
}

test("every strategy of the manifest is there", () => {
  expect(Object.keys(strategies).sort()).toEqual([...routingStrategies].sort());
});

test("quality_first keeps the declared order", () => {
  expect(order("quality_first", [standing("b"), standing("a")], 7)).toBe("b a");
});

test("round_robin begins with the next candidate at each call", () => {
  const candidates = ["a", "b", "c"].map((name) => standing(name));
  expect([0, 1, 2, 3].map((call) => order("round_robin", candidates, call))).toEqual([
    "a b c",
    "b c a",
    "c a b",
    "a b c",
  ]);
});

test("cost_optimized puts the cheapest first, unknown prices last, ties in declared order", () => {
  const candidates = [
    standing("unknown"),
    standing("dear", { price: 500 }),
    standing("cheap", { price: 20 }),
    standing("unknown-too"),
    standing("local", { price: 0 }),
    standing("local-too", { price: 0 }),
  ];
  expect(order("cost_optimized", candidates)).toBe("local local-too cheap dear unknown unknown-too");
});

describe("latency_optimized", () => {
  const candidates = [
    standing("untried"),
    standing("slow", { latencyMs: 900, triedAtCall: 3 }),
    standing("fast", { latencyMs: 90, triedAtCall: 18 }),
  ];
  test("puts the fastest first and the untried last", () => {
    expect(order("latency_optimized", candidates, 5)).toBe("fast slow untried");
  });
  test("now and then begins with the one that waited longest", () => {
    const firsts = Array.from(
      { length: 100 },
      (_, call) => order("latency_optimized", candidates, call).split(" ")[0],
    );
    expect(firsts.filter((first) => first === "untried")).toHaveLength(5);
    const tried = [
      standing("slow", { latencyMs: 900, triedAtCall: 3 }),
      standing("fast", { latencyMs: 90, triedAtCall: 18 }),
    ];
    expect(order("latency_optimized", tried, 19)).toBe("slow fast");
  });
});

describe("capability_match", () => {
  const tools = [{ name: "t", description: "", parameters: { type: "object" } }];
  const noTools = { capabilities: { tools: false, vision: false, streaming: true } };
  test("prefers models that use tools when tools are offered, and only then", () => {
    const candidates = [standing("plain", {}, noTools), standing("tools")];
    expect(order("capability_match", candidates, 0, requestOf("hi", { tools }))).toBe("tools plain");
    expect(order("capability_match", candidates, 0, requestOf("hi", { tools, toolChoice: "none" }))).toBe(
      "plain tools",
    );
    expect(order("capability_match", candidates)).toBe("plain tools");
  });
  test("prefers models whose window holds the prompt", () => {
    const candidates = [
      standing("small", {}, { contextWindow: 100 }),
      standing("large", {}, { contextWindow: 10_000 }),
    ];
    expect(order("capability_match", candidates)).toBe("small large");
    expect(order("capability_match", candidates, 0, requestOf("word ".repeat(400)))).toBe("large small");
  });
  test("prefers models that stream when a stream is wanted", () => {
    const candidates = [
      standing("whole", {}, { capabilities: { tools: true, vision: false, streaming: false } }),
      standing("streams"),
    ];
    expect(order("capability_match", candidates)).toBe("streams whole");
    expect(order("capability_match", candidates, 0, requestOf("hi", { stream: false }))).toBe(
      "whole streams",
    );
  });
});
