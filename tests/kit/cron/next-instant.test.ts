import { expect, test } from "bun:test";
import { nextInstant, offsetIn } from "../../../src/kit/cron/next-instant.ts";
import { parseCron } from "../../../src/kit/cron/parse-cron.ts";

function following(cron: string, timeZone: string, after: string, count: number): string[] {
  const pattern = parseCron(cron);
  const offsetAt = offsetIn(timeZone);
  if ("fault" in pattern || offsetAt === undefined) throw new Error(`${cron} in ${timeZone} is not valid`);
  const found: string[] = [];
  for (let at = Date.parse(after); found.length < count; ) {
    const next = nextInstant(pattern, offsetAt, at);
    if (next === undefined) break;
    found.push(new Date(next).toISOString().replace(/:00\.000Z$/, "Z"));
    at = next;
  }
  return found;
}

test.each([
  ["* * * * *", "UTC", "2026-01-01T00:00:30Z", ["2026-01-01T00:01Z", "2026-01-01T00:02Z"]],
  ["*/20 9-10 * * *", "UTC", "2026-01-01T09:20:00Z", ["2026-01-01T09:40Z", "2026-01-01T10:00Z"]],
  ["0 9 * * MON-FRI", "America/New_York", "2026-10-30T20:00:00Z", ["2026-11-02T14:00Z"]],
  ["30 8 1,15 * *", "Asia/Kolkata", "2026-01-01T00:00:00Z", ["2026-01-01T03:00Z", "2026-01-15T03:00Z"]],
  ["0 0 29 2 *", "UTC", "2096-03-01T00:00:00Z", ["2104-02-29T00:00Z"]],
  // Both restrict days, so one is enough.
  [
    "0 0 13 * 5",
    "UTC",
    "2026-02-01T00:00:00Z",
    ["2026-02-06T00:00Z", "2026-02-13T00:00Z", "2026-02-20T00:00Z"],
  ],
  ["0 0 * * 7", "UTC", "2026-02-01T00:00:00Z", ["2026-02-08T00:00Z"]],
  ["@weekly", "UTC", "2026-02-02T00:00:00Z", ["2026-02-08T00:00Z"]],
  ["15/15 0 * * *", "UTC", "2026-02-02T00:00:00Z", ["2026-02-02T00:15Z", "2026-02-02T00:30Z"]],
])("%s in %s after %s", (cron, timeZone, after, expected) => {
  expect(following(cron, timeZone, after, expected.length)).toEqual(expected);
});

test.each([
  // Madrid, 29 March 2026: 2:00 becomes 3:00, at 01:00Z.
  ["30 2 * * *", "Europe/Madrid", "2026-03-28T02:00:00Z", ["2026-03-29T01:30Z", "2026-03-30T00:30Z"]],
  [
    "*/30 * * * *",
    "Europe/Madrid",
    "2026-03-29T00:10:00Z",
    ["2026-03-29T00:30Z", "2026-03-29T01:00Z", "2026-03-29T01:30Z"],
  ],
  // 25 October 2026: 3:00 becomes 2:00, at 01:00Z.
  ["30 2 * * *", "Europe/Madrid", "2026-10-24T01:00:00Z", ["2026-10-25T00:30Z", "2026-10-26T01:30Z"]],
  [
    "*/30 * * * *",
    "Europe/Madrid",
    "2026-10-25T00:10:00Z",
    ["2026-10-25T00:30Z", "2026-10-25T01:00Z", "2026-10-25T01:30Z", "2026-10-25T02:00Z"],
  ],
  // Lord Howe Island sets its clock by half an hour.
  ["15 2 * * *", "Australia/Lord_Howe", "2026-10-03T00:00:00Z", ["2026-10-03T15:45Z", "2026-10-04T15:15Z"]],
  // Samoa left out 30 December 2011.
  ["0 12 * * *", "Pacific/Apia", "2011-12-29T23:00:00Z", ["2011-12-30T22:00Z", "2011-12-31T22:00Z"]],
])("%s in %s when the clock is set, after %s", (cron, timeZone, after, expected) => {
  expect(following(cron, timeZone, after, expected.length)).toEqual(expected);
});

test("over two years of every zone, an hourly expression fires at each full hour of the wall clock and never goes back", () => {
  for (const timeZone of ["Europe/Madrid", "America/St_Johns", "Australia/Lord_Howe", "Africa/Casablanca"]) {
    const offsetAt = offsetIn(timeZone);
    const pattern = parseCron("0 * * * *");
    if (offsetAt === undefined || "fault" in pattern) throw new Error(timeZone);
    const from = Date.UTC(2026, 1, 1);
    const expected: number[] = [];
    for (let at = from + 60_000; at <= from + 300 * 86_400_000; at += 15 * 60_000) {
      const quarter = Math.floor(at / 900_000) * 900_000;
      if ((quarter + offsetAt(quarter)) % 3_600_000 === 0 && quarter > from) expected.push(quarter);
    }
    const found: number[] = [];
    for (let at = from; found.length < expected.length; ) {
      const next = nextInstant(pattern, offsetAt, at);
      if (next === undefined) break;
      expect(next).toBeGreaterThan(at);
      found.push(next);
      at = next;
    }
    expect(found).toEqual(expected);
  }
});

test.each([
  ["", "five fields"],
  ["* * * *", "five fields"],
  ["* * * * * *", "five fields"],
  ["@reboot", "five fields"],
  ["60 * * * *", "minute"],
  ["* 24 * * *", "hour"],
  ["* * 0 * *", "day of the month"],
  ["* * * 13 *", "month"],
  ["* * * * 8", "day of the week"],
  ["5-1 * * * *", "backwards"],
  ["*/0 * * * *", "step of 0"],
  ["1,,2 * * * *", '""'],
  ["1-2-3 * * * *", '"1-2-3"'],
  ["-1 * * * *", '""'],
  ["1.5 * * * *", '"1.5"'],
  ["0 0 30 2 *", "never"],
  ["0 0 31 4,6,9,11 *", "never"],
  ["*".repeat(300), "256"],
])("the expression %j is refused: %s", (cron, fault) => {
  const read = parseCron(cron);
  expect("fault" in read ? read.fault : "").toContain(fault);
});

test.each(["", "Mars/Base", "+02:00", "Europe/", "../etc", "UTC\n"])("%j is not a time zone", (timeZone) => {
  expect(offsetIn(timeZone)).toBeUndefined();
});
