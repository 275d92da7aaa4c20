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
const day = (name: string, agents: DayUsage["agents"], models: DayUsage["models"]): DayUsage => ({
  day: name,
  invocations: agents.length,
  tokens_in: models.reduce((sum, { tokens_in }) => sum + tokens_in, 0),
  tokens_out: models.length,
  credits_charged_micros: agents.reduce((sum, { credits_charged_micros }) => sum + credits_charged_micros, 0),
  agents,
  models,
});
const report: DailyUsage = {
  period: "2026-02",
  days: [
    day("2026-02-01", [agent("a", 6), agent("b", 9)], [model("x", 14)]),
    day("2026-02-03", [agent("a", 6)], [model("x", 1), model("y", 3)]),
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
    names: ["a", "b"],
    rows: [
      ["2026-02-01", { a: 6, b: 9 }, 15],
      ["2026-02-02", {}, 0],
      ["2026-02-03", { a: 6 }, 6],
      ["2026-02-04", {}, 0],
    ],
  });
});

test("what a day's lists leave out is in the others", () => {
  const first = report.days[0] as DayUsage;
  const cut = {
    ...report,
    days: [{ ...first, invocations: 7, tokens_in: 100, credits_charged_micros: 155 }],
  };
  expect(shown({ measure: "runs", until: "2026-02-01" }, cut)).toEqual({
    names: ["a", "b", "Others"],
    rows: [["2026-02-01", { a: 1, b: 1, Others: 5 }, 7]],
  });
  expect(shown({ measure: "credits" }, cut).rows[0]).toEqual([
    "2026-02-01",
    { a: 60, b: 90, Others: 5 },
    155,
  ]);
  expect(shown({ split: "model" }, cut).rows[0]).toEqual(["2026-02-01", { "lab/x": 15, Others: 86 }, 101]);
});

test("a month that is over has all its days", () => {
  expect(shown({ until: "2026-07-01" }).rows).toHaveLength(28);
});

test("runs, credits and the tokens of models are counted likewise", () => {
  expect(shown({ measure: "runs" }).rows[0]).toEqual(["2026-02-01", { a: 1, b: 1 }, 2]);
  expect(shown({ measure: "credits" }).rows[0]).toEqual(["2026-02-01", { a: 60, b: 90 }, 150]);
  const { names, rows } = shown({ split: "model" });
  expect(names).toEqual(["lab/x", "lab/y"]);
  expect(rows[2]).toEqual(["2026-02-03", { "lab/x": 2, "lab/y": 4 }, 6]);
});

test("beyond six names the smallest are one", () => {
  const agents = Array.from({ length: 8 }, (_, at) => agent(`agent-${at}`, 10 - at));
  const crowded = { period: "2026-02", days: [day("2026-02-01", agents, [])] };
  const { names, rows } = shown({ until: "2026-02-01", measure: "credits" }, crowded);
  expect(names).toEqual(["agent-0", "agent-1", "agent-2", "agent-3", "agent-4", "Others"]);
  expect(rows[0]?.[1]).toMatchObject({ "agent-4": 60, Others: 50 + 40 + 30 });
});
