import { describe, expect, test } from "bun:test";
import { asks, type StageOptions, stage, told } from "../../support/staged-run.ts";

describe("agents below agents", () => {
  const chainOf = (...names: string[]): NonNullable<StageOptions["agents"]> =>
    Object.fromEntries(
      names.map((name, index) => [
        name,
        {
          spec: { tools: [{ name: "down", type: "agent", config: { agent: names[index + 1] ?? "staged" } }] },
          calls: [asks("", { name: "down", input: { query: "go on" } }), `${name} is back`],
        },
      ]),
    );

  test("a circle is refused at its last step, with the way", async () => {
    const run = stage({
      spec: { tools: [{ name: "down", type: "agent", config: { agent: "a" } }] },
      calls: [asks("", { name: "down", input: { query: "go" } }), "top"],
      agents: chainOf("a", "b"),
    });
    const { result } = await run.run();
    expect(result?.response).toBe("top");
    expect(told(run.modelOf("b")).at(-1)).toContain(
      "(agents_nested): These agents would call each other in a cycle: staged → a → b → staged.",
    );
  });

  test("more than eight below each other are refused, with the way", async () => {
    const names = ["a", "b", "c", "d", "e", "f", "g", "h", "i"];
    const run = stage({
      spec: { tools: [{ name: "down", type: "agent", config: { agent: "a" } }] },
      calls: [asks("", { name: "down", input: { query: "go" } }), "top"],
      agents: chainOf(...names),
    });
    const { result } = await run.run();
    expect(result?.response).toBe("top");
    expect(run.finished.map(({ agent }) => agent)).toEqual(["g", "f", "e", "d", "c", "b", "a", "staged"]);
    expect(told(run.modelOf("g")).at(-1)).toContain("staged → a → b → c → d → e → f → g → h.");
    expect(run.traces).toHaveLength(1);
  });
});
