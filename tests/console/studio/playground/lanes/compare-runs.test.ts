import { expect, test } from "bun:test";
import { compareRuns, runNumbers } from "../../../../../src/console/studio/playground/lanes/compare-runs.ts";
import { countLanes } from "../../../../../src/console/studio/playground/lanes/use-lanes.ts";

test("a run that is under way has no numbers but its first word", () => {
  const numbers = runNumbers({ phase: "running", parts: [], beganMs: 100, firstTokenMs: 130 });
  expect(numbers.firstTokenMs).toBe(30);
  expect(compareRuns([numbers, {}])).toEqual([{ name: "firstTokenMs", values: [30, undefined] }]);
});

test("the first word and the whole time are measured by one clock", () => {
  const done = { timing: { total_ms: 10 }, usage: { input_tokens: 1, output_tokens: 1 } } as never;
  const run = { phase: "done" as const, parts: [], beganMs: 100, firstTokenMs: 183, endedMs: 190, done };
  const { firstTokenMs = 0, totalMs = 0 } = runNumbers(run);
  expect([firstTokenMs, totalMs]).toEqual([83, 90]);
});

test("the time that a person needed is not the run's", () => {
  const done = { timing: { total_ms: 10 }, usage: { input_tokens: 1, output_tokens: 1 } } as never;
  const decision = { kind: "decision" as const, tool: "send", verdict: "approve" as const };
  const run = {
    phase: "done" as const,
    parts: [decision],
    beganMs: 0,
    firstTokenMs: 5,
    endedMs: 90_000,
    done,
  };
  expect(runNumbers(run)).toMatchObject({ totalMs: 10, firstTokenMs: undefined });
});

test("differences are the second less the first, with their share", () => {
  const a = { totalMs: 200, inputTokens: 10, outputTokens: 0, costUsd: 0.5 };
  const b = { totalMs: 100, inputTokens: 10, outputTokens: 5, costUsd: 0.75 };
  expect(compareRuns([a, b])).toEqual([
    { name: "totalMs", values: [200, 100], difference: -100, share: -0.5 },
    { name: "inputTokens", values: [10, 10], difference: 0, share: 0 },
    { name: "outputTokens", values: [0, 5], difference: 5 },
    { name: "costUsd", values: [0.5, 0.75], difference: 0.25, share: 0.5 },
  ]);
});

test("three runs have their numbers and no differences", () => {
  expect(compareRuns([{ totalMs: 1 }, {}, { totalMs: 3 }])).toEqual([
    { name: "totalMs", values: [1, undefined, 3] },
  ]);
});

test("an address has the columns up to the first gap, at most four", () => {
  const count = (...agents: string[]) => countLanes((number) => agents[number] ?? "");
  expect([count(), count("a"), count("", "b"), count("a", "b", "c"), count("a", "b", "", "d")]).toEqual([
    1, 1, 2, 3, 2,
  ]);
  expect(count("a", "b", "c", "d", "e")).toBe(4);
});

test("what neither has is left out", () => {
  expect(compareRuns([{}, {}])).toEqual([]);
});
