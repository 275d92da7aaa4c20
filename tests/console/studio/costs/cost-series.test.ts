import { expect, test } from "bun:test";
import { costSeries } from "../../../../src/console/studio/costs/cost-series.ts";
import type { CostHistory, CostInterval } from "../../../../src/contracts/daemon/models/costs.ts";

const call = (start: string, agent: string, model: string, cost: number): CostInterval => ({
  start,
  agent,
  provider: "openai",
  model,
  source: "production",
  cost,
  input_tokens: 1,
  output_tokens: 1,
  tokens: 2,
  calls: 1,
  unpriced_calls: 0,
});

const day = (number: number) => `2026-03-0${number}T00:00:00.000Z`;
const history = (intervals: CostInterval[]): CostHistory => ({
  interval: "day",
  starts: intervals.length === 0 ? [] : [day(1), day(2), day(3)],
  intervals,
  counted_from: day(1),
});

test("days without calls are rows of zero, and the costliest comes first", () => {
  const { rows, names } = costSeries(
    history([call(day(1), "a", "small", 1), call(day(3), "a", "large", 5), call(day(3), "b", "small", 2)]),
    "model",
    (start) => start.slice(8, 10),
    "Others",
  );
  expect(names).toEqual(["large", "small"]);
  expect(rows).toEqual([
    { label: "01", large: 0, small: 1_000_000 },
    { label: "02", large: 0, small: 0 },
    { label: "03", large: 5_000_000, small: 2_000_000 },
  ]);
});

test("beyond six series the cheapest are one", () => {
  const calls = Array.from({ length: 8 }, (_, at) => call(day(1), `agent-${at}`, "m", at + 1));
  const { rows, names } = costSeries(history(calls), "agent", () => "x", "Others");
  expect(names).toEqual(["agent-7", "agent-6", "agent-5", "agent-4", "agent-3", "Others"]);
  expect(rows[0]?.Others).toBe(6_000_000);
});

test("nothing gives nothing", () => {
  expect(costSeries(history([]), "model", () => "x", "Others")).toEqual({ rows: [], names: [] });
});
