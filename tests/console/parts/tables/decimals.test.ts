import { expect, test } from "bun:test";
import { fractionWidths, widestFraction } from "../../../../src/console/parts/tables/decimals.ts";
import { alignedNumber, fractionWidth } from "../../../../src/contracts/amounts.ts";

test.each([
  ["0.156", 4],
  ["$1,250.50", 3],
  ["1,250", 0],
  ["1.97975 credits", 6],
  ["$0.01 per second", 3],
  ["-$0.000120", 7],
  ["unpriced", 0],
  ["–", 0],
  ["", 0],
])("the fraction of %p is %p characters wide", (text, width) => {
  expect(fractionWidth(text)).toBe(width);
});

test("a column is as wide as its widest fraction", () => {
  expect(widestFraction(["0.09", "0.156", "12", "unpriced", undefined, 5])).toBe(4);
  const columns = [
    { id: "name", header: "Name", cell: ({ name }: { name: string }) => name },
    { id: "credits", header: "Credits", align: "decimal" as const, cell: () => "0.5" },
    { id: "amount", header: "Amount", align: "decimal" as const, cell: () => "$1.00" },
  ];
  expect([...fractionWidths(columns, [{ name: "1.2345" }])]).toEqual([
    ["credits", 2],
    ["amount", 3],
  ]);
});

test.each([
  ["0.156", 4, "0.156"],
  ["0.09", 4, "0.090"],
  ["12", 4, "12.000"],
  ["$1.29", 7, "$1.290000"],
  ["1.5 credits", 4, "1.500 credits"],
  ["$0.01 + unknown", 5, "$0.0100 + unknown"],
  ["unpriced", 4, "unpriced"],
  ["5", 0, "5"],
])("%p in a column of %p is %p", (text, width, shown) => {
  expect(alignedNumber(text, width)).toBe(shown);
});
