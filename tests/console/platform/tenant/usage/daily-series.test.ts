import { expect, test } from "bun:test";
import { dailySeries } from "../../../../../src/console/platform/tenant/usage/daily-series.ts";
import type { DailyUsage, DayUsage } from "../../../../../src/contracts/platform/observability.ts";

const agent = (name: string, tokens: number): DayUsage["agents"][number] => ({
  agent_id: name,
  name,
  invocations: 1,
  tokens_in: tokens,
  tokens_out: 0,
  credits_charged_micros: tokens * 10,
});
const model = (name: string, tokens: number): DayUsage["models"][number] => ({
  provider: "lab",
  model: name,
  tokens_in: tokens,
  tokens_out: 1,
});
const report: DailyUsage = {
  period: "2026-02",
  days: [
    { day: "2026-02-01", agents: [agent("a", 5), agent("b", 9)], models: [model("x", 14)] },
    { day: "2026-02-03", agents: [agent("a", 1)], models: [model("x", 1), model("y", 3)] },
  ],
};
const shown = (wish: Partial<Parameters<typeof dailySeries>[1]>, of = report) => {
  const { names, rows } = dailySeries(of, {
    measure: "tokens",
    split: "agent",
    until: "2026-02-04",
    others: "Others",
    ...wish,
  });
  return { names, rows: rows.map(({ day, values, total }) => [day, Object.fromEntries(values), total]) };
};

test("every day up to today has a row, the biggest name comes first", () => {
  expect(shown({})).toEqual({
    names: ["b", "a"],
    rows: [
      ["2026-02-01", { a: 5, b: 9 }, 14],
      ["2026-02-02", {}, 0],
      ["2026-02-03", { a: 1 }, 1],
      ["2026-02-04", {}, 0],
    ],
  });
});

test("a month that is over has all its days", () => {
  expect(shown({ until: "2026-07-01" }).rows).toHaveLength(28);
});

test("runs, credits and the tokens of models are counted likewise", () => {
  expect(shown({ measure: "runs" }).rows[0]).toEqual(["2026-02-01", { a: 1, b: 1 }, 2]);
  expect(shown({ measure: "credits" }).rows[0]).toEqual(["2026-02-01", { a: 50, b: 90 }, 140]);
  const { names, rows } = shown({ split: "model" });
  expect(names).toEqual(["lab/x", "lab/y"]);
  expect(rows[2]).toEqual(["2026-02-03", { "lab/x": 2, "lab/y": 4 }, 6]);
});

test("beyond six names the smallest are one", () => {
  const agents = Array.from({ length: 8 }, (_, at) => agent(`agent-${at}`, 10 - at));
  const crowded = { period: "2026-02", days: [{ day: "2026-02-01", agents, models: [] }] };
  const { names, rows } = shown({ until: "2026-02-01" }, crowded);
  expect(names).toEqual(["agent-0", "agent-1", "agent-2", "agent-3", "agent-4", "Others"]);
  expect(rows[0]?.[1]).toMatchObject({ "agent-4": 6, Others: 5 + 4 + 3 });
});
