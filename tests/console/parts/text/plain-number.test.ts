import { expect, test } from "bun:test";
import { plainNumber } from "../../../../src/console/parts/text/plain-number.ts";
import { csvText } from "../../../../src/contracts/csv-text.ts";

test.each([
  ["1,234,567", "1234567"],
  ["$1,250.500000", "1250.500000"],
  ["-$0.25", -0.25],
  ["−1,250", -1250],
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

test("a negative amount of a table can be added up in a spreadsheet", () => {
  const cells = ["-$1,250.50", "$3.00"].map((shown) => [plainNumber(shown)]);
  expect(csvText(["profit"], cells)).toBe("profit\r\n-1250.5\r\n3.00\r\n");
});
