import { describe, expect, test } from "bun:test";
import { renderToStaticMarkup } from "react-dom/server";
import {
  AlignedNumber,
  fractionWidth,
  fractionWidths,
  widestFraction,
} from "../../../../src/console/parts/tables/decimals.tsx";

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

test("a column is as wide as its widest fraction, and its total counts in the last column", () => {
  expect(widestFraction(["0.09", "0.156", "12", "unpriced", undefined, 5])).toBe(4);
  const columns = [
    { id: "name", header: "Name", cell: ({ name }: { name: string }) => name },
    { id: "credits", header: "Credits", align: "decimal" as const, cell: () => "0.5" },
    { id: "amount", header: "Amount", align: "decimal" as const, cell: () => "$1.00" },
  ];
  expect([...fractionWidths(columns, [{ name: "1.2345" }], "$1.000001")]).toEqual([
    ["credits", 2],
    ["amount", 7],
  ]);
});

describe("an aligned number", () => {
  const shown = (text: string, width: number) =>
    renderToStaticMarkup(<AlignedNumber text={text} width={width} />);
  const unseen = (digits: string) => `<span class="ar-unseen-digits" data-digits="${digits}"></span>`;

  test.each([
    ["0.156", 4, "0.156"],
    ["0.09", 4, `0.09${unseen("0")}`],
    ["12", 4, `12${unseen(".000")}`],
    ["$1.29", 7, `$1.29${unseen("0000")}`],
    ["1.5 credits", 4, `1.5${unseen("00")} credits`],
    ["unpriced", 4, "unpriced"],
    ["<b>1</b>", 0, "&lt;b&gt;1&lt;/b&gt;"],
  ])("%p in a column of %p", (text, width, html) => {
    expect(shown(text, width)).toBe(html);
  });

  test("has no text but its own for readers and copies", () => {
    const plain = shown("0.09", 4).replaceAll(/<[^>]*>/g, "");
    expect(plain).toBe("0.09");
  });
});
