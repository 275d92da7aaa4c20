import { expect, test } from "bun:test";
import type { Row } from "../../scripts/bench/measure.ts";
import { doubts, report } from "../../scripts/bench/report.ts";

const runs = (cpuMsPerRun: number, p50Ms: number, modelCallsPerRun = 2, errors = 0) => ({
  runsPerSecond: 1000,
  p50Ms,
  p99Ms: 50,
  cpuMsPerRun,
  modelCallsPerRun,
  errors,
});

test("ratios are taken within a round, then their median", () => {
  const rows: Row[] = [
    { round: 1, system: "bun", W2: runs(1, 1), W4: runs(1, 41) },
    { round: 1, system: "argosy", W2: runs(4, 1), W4: runs(1, 45) },
    { round: 2, system: "bun", W2: runs(10, 1), W4: runs(1, 61) },
    { round: 2, system: "argosy", W2: runs(40, 1), W4: runs(1, 65) },
    { round: 3, system: "bun", W2: runs(100, 1), W4: runs(1, 41) },
    { round: 3, system: "argosy", W2: runs(100, 1), W4: runs(1, 42) },
  ];
  const table = report(rows, "bun", "argosy").split("\n");
  expect(table[0]).toBe("|  | bun | argosy | argosy ÷ bun | goal |");
  expect(table).toContain("| W2 server CPU, ms/run | 10.000 | 40.000 | 4.00 | ≤ 5× ceiling: met |");
  expect(table.find((line) => line.startsWith("| W4 p50"))).toEndWith(
    "| 41.0 | 45.0 | 1.07 | ≤ 2 ms over ceiling: **missed** (4.00) |",
  );
  expect(table.some((line) => line.startsWith("| W5"))).toBe(false);
});

test("against the work by hand, goals are those for it", () => {
  const rows: Row[] = [
    { round: 1, system: "full", W2: runs(2, 1), W4: runs(1, 41) },
    { round: 1, system: "argosy", W2: runs(5, 1), W4: runs(1, 45) },
  ];
  const table = report(rows, "full", "argosy").split("\n");
  expect(table).toContain(
    "| W2 server CPU, ms/run | 2.000 | 5.000 | 2.50 | ≤ 2× by hand: **missed** (2.50) |",
  );
  expect(table.find((line) => line.startsWith("| W4 p50"))).toEndWith("| 1.10 |  |");
});

test("figures that can't be trusted are named", () => {
  expect(
    doubts([
      { round: 1, system: "argosy", W2: runs(1, 1, 1.5), W4: runs(1, 1, 2, 7) },
      { round: 1, system: "bun", W2: runs(1, 1) },
    ]),
  ).toEqual(["argosy, round 1: 7 runs failed", "argosy, round 1: W2 made 1.50 model calls a run, not 2"]);
});
