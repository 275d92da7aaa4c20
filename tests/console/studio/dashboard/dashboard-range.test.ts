import { expect, test } from "bun:test";
import { dayText, rangeNames, rangeQuery } from "../../../../src/console/studio/dashboard/dashboard-range.ts";
import { type BucketLength, bucketLengths } from "../../../../src/contracts/daemon/runs/run-stats.ts";

const now = new Date(2026, 1, 20, 12, 34, 56);
const none = { from: "", to: "" };

test.each([
  ["1h", 60],
  ["24h", 48],
  ["7d", 27],
  ["30d", 30],
])("%s ends now and has whole buckets", (range, buckets) => {
  const { since = "", until = "", bucket } = rangeQuery({ range, ...none }, now) ?? {};
  expect(until).toBe(now.toISOString());
  const ms = Date.parse(until) - Date.parse(since);
  expect(Math.ceil(ms / bucketLengths[bucket as BucketLength])).toBe(buckets);
  if (range.endsWith("d")) expect(new Date(since).getHours()).toBe(0);
});

test("an own range has whole local days, the last included", () => {
  const own = (from: string, to: string) => rangeQuery({ range: "own", from, to }, now);
  expect(own("2026-01-30", "2026-02-01")).toEqual({
    since: new Date(2026, 0, 30).toISOString(),
    until: new Date(2026, 1, 2).toISOString(),
  });
  expect(own("2026-02-01", "2026-02-01")).toBeDefined();
  for (const [from, to] of [
    ["2026-02-02", "2026-02-01"],
    ["", "2026-02-01"],
    ["2026-02-30", "2026-03-01"],
    ["yesterday", "today"],
  ] as const)
    expect(own(from, to)).toBeUndefined();
  expect(dayText(new Date(2026, 0, 5))).toBe("2026-01-05");
});

test("an unknown range is a day", () => {
  const day = rangeQuery({ range: "24h", ...none }, now);
  for (const range of ["", "constructor", "1y"]) expect(rangeQuery({ range, ...none }, now)).toEqual(day);
  expect(rangeNames).toContain("own");
});
