import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { neutralise, textOf } from "../../../src/cli/terminal/paint.ts";
import { cut, layoutTable } from "../../../src/cli/terminal/table.ts";

const lines = (rows: string[][], widthMax?: number) =>
  layoutTable(rows, widthMax).map((line) => line.map(textOf).join(""));

describe("a table", () => {
  test("aligns by what is seen, not by code units", () => {
    expect(
      lines([
        ["日本", "x"],
        ["abc", "y"],
      ]),
    ).toEqual(["日本  x", "abc   y"]);
  });
  test("takes from the last column first, and never from the first", () => {
    const row = ["a".repeat(30), "b".repeat(20), "c".repeat(20)];
    expect(lines([row], 70)).toEqual([`${row[0]}  ${row[1]}  ${"c".repeat(15)}…`]);
    expect(lines([row], 50)).toEqual([`${row[0]}  ${"b".repeat(7)}…  ${"c".repeat(7)}…`]);
  });
  test("never leaves a line wider than the terminal, for any cells", () => {
    const cell = fc.string({ unit: "grapheme", maxLength: 60 });
    const table = fc.array(fc.tuple(fc.string({ unit: "grapheme-ascii", maxLength: 8 }), cell, cell), {
      minLength: 1,
      maxLength: 6,
    });
    fc.assert(
      fc.property(table, fc.integer({ min: 28, max: 120 }), (rows, widthMax) => {
        for (const line of lines(rows, widthMax)) {
          if (Bun.stringWidth(line) > widthMax || line.includes("\n")) return false;
        }
        return true;
      }),
    );
  });
  test("amounts of a column have the same number of decimals, its other cells stay", () => {
    const rows = [["COST"], ["$0.008527"], ["$0.01 + unknown"], ["unknown"], ["-$1.50"], [""]];
    expect(lines(rows)).toEqual(["COST", "$0.008527", "$0.010000 + unknown", "unknown", "-$1.500000", ""]);
  });

  test("cuts to a width exactly, with an ellipsis", () => {
    expect(cut("abcdef", 6)).toBe("abcdef");
    expect(cut("abcdef", 4)).toBe("abc…");
    expect(cut("界界界", 4)).toBe("界…");
  });
});

test("neutralised text holds no control character but line ends and tabs, and nothing else changes", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const safe = neutralise(text);
      const visible = (character: string) => !/\p{Cc}/u.test(character);
      return (
        [...safe].every((character) => visible(character) || character === "\n" || character === "\t") &&
        [...text].filter(visible).every((character) => safe.includes(character))
      );
    }),
  );
});
