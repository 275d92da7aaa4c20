import { expect, test } from "bun:test";
import { formatWait, lastDays } from "../../../src/console/gateway/reports/report-days.ts";

test("a range ends with the person's own day", () => {
  expect(lastDays(7, new Date(2026, 2, 3, 0, 30))).toEqual({ from: "2026-02-25", to: "2026-03-03" });
  expect(lastDays(1, new Date(2026, 2, 3, 23, 59))).toEqual({ from: "2026-03-03", to: "2026-03-03" });
});

test.each([
  [0, "0 s"],
  [59.4, "59 s"],
  [59.5, "1 min"],
  [3_569, "59 min"],
  [3_570, "1 h"],
  [5_400, "1 h 30 min"],
  [86_400, "1 d"],
  [97_200, "1 d 3 h"],
])("%d seconds of waiting are %s", (seconds, text) => {
  expect(formatWait(seconds)).toBe(text);
});
