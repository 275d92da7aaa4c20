import { expect, test } from "bun:test";
import { offsetIn } from "../../../../src/kit/cron/next-instant.ts";
import { presentHistory } from "../../../../src/services/daemon/costs/present-costs.ts";
import { historySince } from "../../../../src/services/daemon/costs/read-query.ts";
import { newTally } from "../../../../src/services/daemon/costs/tally.ts";

test.each([
  ["America/New_York", "2026-10-31T04:00:00.000Z", "2026-11-01T04:00:00.000Z", "2026-11-02T05:00:00.000Z"],
  ["America/New_York", "2026-03-07T05:00:00.000Z", "2026-03-08T05:00:00.000Z", "2026-03-09T04:00:00.000Z"],
  ["Europe/Madrid", "2026-10-23T22:00:00.000Z", "2026-10-24T22:00:00.000Z", "2026-10-25T23:00:00.000Z"],
  ["Australia/Lord_Howe", "2026-04-03T13:00:00.000Z", "2026-04-04T13:00:00.000Z", "2026-04-05T13:30:00.000Z"],
])("costs by the days of %s from %s have each day once", (zone, first, second, third) => {
  const last = new Date(Date.parse(third) + 3_600_000);
  const span = historySince(last, "day", new Date(first), offsetIn(zone));
  const row = (startsAt: Date) => ({
    startsAt,
    agent: "a",
    provider: "p",
    model: "m",
    source: "production" as const,
    tally: newTally(),
  });
  const rows = [span.startOf(new Date(first)), span.startOf(last)].map(row);
  expect(span.since.toISOString()).toBe(first);
  expect(presentHistory("day", span, { rows, from: span.since }).starts).toEqual([first, second, third]);
  expect(span.startOf(new Date(Date.parse(third) - 1)).toISOString()).toBe(second);
});

test("a history has at most 10,000 entries: the cheapest combinations are one, and no call is lost", () => {
  const now = new Date("2026-03-10T12:00:00.000Z");
  const span = historySince(now, "hour", new Date(now.getTime() - 999 * 3_600_000));
  const rows = Array.from({ length: 1000 }, (_, hour) =>
    Array.from({ length: 12 }, (_, agent) => ({
      startsAt: new Date(span.since.getTime() + hour * 3_600_000),
      agent: `a${agent}`,
      provider: "p",
      model: "m",
      source: "production" as const,
      tally: { ...newTally(), calls: 1, costMicros: agent },
    })),
  ).flat();
  const { intervals, starts } = presentHistory("hour", span, { rows, from: span.since });
  expect(starts).toHaveLength(1000);
  expect(intervals).toHaveLength(10_000);
  expect(intervals.reduce((sum, { calls }) => sum + calls, 0)).toBe(12_000);
  const first = intervals.filter(({ start }) => start === starts[0]);
  expect(first.map(({ agent, model, calls }) => [agent, model, calls])).toEqual([
    ["other", "other", 3],
    ...[3, 4, 5, 6, 7, 8, 9, 10, 11].map((agent) => [`a${agent}`, "m", 1]),
  ]);
  const few = presentHistory("hour", span, { rows: rows.slice(0, 24), from: span.since });
  expect(few.intervals.some(({ agent }) => agent === "other")).toBe(false);
});
