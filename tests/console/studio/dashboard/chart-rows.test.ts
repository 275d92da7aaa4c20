import { expect, test } from "bun:test";
import {
  bucketEnd,
  groupSeries,
  periodsOf,
  rowsOf,
} from "../../../../src/console/studio/dashboard/chart-rows.ts";
import { groupLabel, runsBehind } from "../../../../src/console/studio/dashboard/runs-behind.ts";
import type { RunFigures, RunGroup, RunStats } from "../../../../src/contracts/daemon/runs/run-stats.ts";

const figures = (runs: number): RunFigures => ({
  runs,
  errors: 0,
  input_tokens: 0,
  output_tokens: 0,
  cost_usd: 0,
  unpriced_calls: 0,
  ...(runs > 0 ? { p95_ms: runs * 10 } : {}),
});
const start = (hour: number) => new Date(Date.UTC(2026, 0, 1, hour)).toISOString();
const stats: RunStats = {
  since: start(0),
  until: new Date(Date.UTC(2026, 0, 1, 2, 30)).toISOString(),
  counted_from: start(0),
  bucket: "1h",
  total: figures(3),
  buckets: [1, 0, 2].map((runs, hour) => ({ start: start(hour), ...figures(runs) })),
};
const grouped: RunStats = {
  ...stats,
  groups: [
    { key: "a.b[0]", total: figures(2), buckets: [{ start: start(2), ...figures(2) }] },
    { key: "", total: figures(1), buckets: [{ start: start(0), ...figures(1) }] },
    { total: figures(0), buckets: [] },
  ],
};

test("each bucket is a row, and one without runs has a gap in a line", () => {
  const values = ({ p95_ms: p95 }: RunFigures) => ({ p95: p95 ?? null });
  expect(rowsOf(stats, values, () => 0).map(({ p95 }) => p95)).toEqual([10, null, 20]);
  const rows = rowsOf(grouped, values, ({ runs }) => runs);
  expect(rows.map(({ group0, group1, group2 }) => [group0, group1, group2])).toEqual([
    [0, 1, 0],
    [0, 0, 0],
    [2, 0, 0],
  ]);
  expect(
    groupSeries(grouped.groups ?? [], (group) => groupLabel(group, "model")).map(({ name, label }) => [
      name,
      label,
    ]),
  ).toEqual([
    ["group0", "a.b[0]"],
    ["group1", "No model call"],
    ["group2", "All others"],
  ]);
});

test.each([
  ["the start of the range", start(0), [1, 0, 2]],
  ["the middle of the first period", new Date(Date.UTC(2026, 0, 1, 0, 30)).toISOString(), [1, 0, 2]],
  ["the end of the first period", start(1), [undefined, 0, 2]],
  ["the last period", start(2), [undefined, undefined, 2]],
])("periods before figures that are complete from %s have no values", (_, counted_from, expected) => {
  const shown = (given: RunStats, key: string) =>
    rowsOf(
      { ...given, counted_from },
      ({ runs }) => ({ runs }),
      () => 0,
    ).map((row) => row[key]);
  expect(shown(stats, "runs")).toEqual(expected);
  expect(shown(grouped, "group2")).toEqual(expected.map((runs) => (runs === undefined ? undefined : 0)));
});

test("a point leads to the runs of its period and group, and the last period ends with the range", () => {
  expect(periodsOf(grouped).map(({ bucket, group }) => [bucket.start, group?.key])).toEqual([
    [start(2), "a.b[0]"],
    [start(0), ""],
  ]);
  expect(periodsOf(stats)).toHaveLength(2);
  expect(bucketEnd(stats, start(2))).toBe(stats.until);
  expect(bucketEnd(stats, start(0))).toBe(start(1));
  const period = { since: start(0), until: start(1) };
  const queryOf = (href: string) => Object.fromEntries(new URL(href, "http://x").searchParams);
  const [named, without] = grouped.groups ?? [];
  expect(queryOf(runsBehind(period, { by: "model", source: "all" }, named, "ERROR"))).toEqual({
    ...period,
    model: "a.b[0]",
    status: "ERROR",
  });
  expect(queryOf(runsBehind(period, { by: "model", source: "all" }, without))).toEqual(period);
  expect(queryOf(runsBehind(period, { by: undefined, source: "traffic" }, undefined))).toEqual({
    ...period,
    source: "traffic",
  });
  const evals = { ...named, key: "eval" } as RunGroup;
  expect(queryOf(runsBehind(period, { by: "source", source: "all" }, evals))).toEqual({
    ...period,
    source: "eval",
  });
  expect(groupLabel(evals, "source")).toBe("Evals");
});

test("a tenant is named as the platform names it, and the daemon's own runs as such", () => {
  const of = (key: string): RunGroup => ({ key, total: figures(1), buckets: [] });
  const id = "01a22859-6500-75e5-913f-60cffe9428ad";
  const names = new Map([[id, "Tea shop"]]);
  expect(groupLabel(of(id), "tenant", names)).toBe("Tea shop");
  expect(groupLabel(of("operator"), "tenant", names)).toBe("This daemon");
  expect(groupLabel(of(id), "tenant")).toBe("Customer …28ad");
  expect(groupLabel(of("operator"), "agent", names)).toBe("operator");
});
