import { expect, test } from "bun:test";
import { rangeStart } from "../../../../src/console/studio/traces/time-range.ts";

const now = Date.parse("2026-03-08T12:00:00.000Z");

test.each([
  ["1h", "2026-03-08T11:00:00.000Z"],
  ["7d", "2026-03-01T12:00:00.000Z"],
  ["2026-02-01T00:00:00Z", "2026-02-01T00:00:00.000Z"],
  ["", undefined],
  ["yesterday-ish", undefined],
])("since %p", (name, instant) => {
  expect(rangeStart(name, now)).toBe(instant);
});
