import { expect, test } from "bun:test";
import { localDayStarts } from "../../../src/kit/cron/local-days.ts";
import { offsetIn } from "../../../src/kit/cron/next-instant.ts";

function hoursOf(zone: string, since: string, until: string): number[] {
  const offsetAt = offsetIn(zone);
  if (offsetAt === undefined) throw new Error(zone);
  const starts = localDayStarts(offsetAt, Date.parse(since), Date.parse(until));
  return starts.map((start, at) => ((starts[at + 1] ?? Date.parse(until)) - start) / 3_600_000);
}

test.each([
  ["New York in autumn", "America/New_York", "2026-10-31T04:00Z", "2026-11-03T05:00Z", [24, 25, 24]],
  ["New York in spring", "America/New_York", "2026-03-07T05:00Z", "2026-03-10T04:00Z", [24, 23, 24]],
  ["Madrid in autumn", "Europe/Madrid", "2026-10-23T22:00Z", "2026-10-26T23:00Z", [24, 25, 24]],
  ["Madrid in spring", "Europe/Madrid", "2026-03-27T23:00Z", "2026-03-30T22:00Z", [24, 23, 24]],
  ["Lord Howe in autumn", "Australia/Lord_Howe", "2026-04-03T13:00Z", "2026-04-06T13:30Z", [24, 24.5, 24]],
  ["Lord Howe in spring", "Australia/Lord_Howe", "2026-10-02T13:30Z", "2026-10-05T13:00Z", [24, 23.5, 24]],
  [
    "Havana, whose midnight comes twice",
    "America/Havana",
    "2026-10-31T04:00Z",
    "2026-11-02T05:00Z",
    [24, 25],
  ],
  ["Beirut, whose midnight is left out", "Asia/Beirut", "2026-03-27T22:00Z", "2026-03-29T21:00Z", [24, 23]],
  ["Samoa, where a day is missing", "Pacific/Apia", "2011-12-29T10:00Z", "2011-12-31T10:00Z", [24, 24]],
  ["a range from noon", "Europe/Madrid", "2026-10-24T10:00Z", "2026-10-25T23:30Z", [12, 25, 0.5]],
  ["UTC", "UTC", "2026-10-24", "2026-10-26", [24, 24]],
] as const)("the days of %s have their hours", (_, zone, since, until, hours) => {
  expect(hoursOf(zone, since, until)).toEqual([...hours]);
});
