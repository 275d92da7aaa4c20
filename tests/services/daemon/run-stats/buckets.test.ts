import { expect, test } from "bun:test";
import { offsetIn } from "../../../../src/kit/cron/next-instant.ts";
import { bucketStarts } from "../../../../src/services/daemon/run-stats/buckets.ts";

const startsIn = (timeZone: string, since: string, until: string) =>
  bucketStarts(
    { since: new Date(since), until: new Date(until), bucket: "6h" },
    timeZone === "" ? undefined : offsetIn(timeZone),
  ).map((ms) => new Date(ms).toISOString().slice(5, 16));

test.each([
  ["without a zone, six hours each", "", "2026-11-01T04:00Z", "2026-11-02T05:00Z", 5],
  ["the clock is set back: still four", "America/New_York", "2026-11-01T04:00Z", "2026-11-02T05:00Z", 4],
  ["the clock is set forward: still four", "Europe/Madrid", "2026-03-28T23:00Z", "2026-03-29T22:00Z", 4],
  ["an ordinary day", "Europe/Madrid", "2026-02-09T23:00Z", "2026-02-10T23:00Z", 4],
])("a day has quarters: %s", (_name, zone, since, until, count) => {
  expect(startsIn(zone, since, until)).toHaveLength(count);
});

test("quarters begin at 0, 6, 12 and 18 of the person's clock, also after it was set back", () => {
  expect(startsIn("America/New_York", "2026-11-01T04:00Z", "2026-11-03T05:00Z")).toEqual([
    "11-01T04:00",
    "11-01T11:00",
    "11-01T17:00",
    "11-01T23:00",
    "11-02T05:00",
    "11-02T11:00",
    "11-02T17:00",
    "11-02T23:00",
  ]);
});

test("a range that begins and ends within a quarter has what is left of them", () => {
  expect(startsIn("Europe/Madrid", "2026-02-10T13:30Z", "2026-02-11T04:00Z")).toEqual([
    "02-10T13:30",
    "02-10T17:00",
    "02-10T23:00",
  ]);
});
