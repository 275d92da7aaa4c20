import { expect, test } from "bun:test";
import { plainNumber } from "../../../../src/console/parts/text/plain-number.ts";

test.each([
  ["1,234,567", "1234567"],
  ["$1,250.500000", "1250.500000"],
  ["-$0.25", "-0.25"],
  ["0", "0"],
  ["12%", "12%"],
  ["1.53 s", "1.53 s"],
  ["unknown", "unknown"],
  ["$0.01 + unknown", "$0.01 + unknown"],
  ["–", "–"],
  ["", ""],
])("%p is %p in a file", (shown, written) => {
  expect(plainNumber(shown)).toBe(written);
});
