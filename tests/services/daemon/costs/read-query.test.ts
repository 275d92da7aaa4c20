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
