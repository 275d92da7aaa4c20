import { expect, test } from "bun:test";
import { csvText } from "../../src/contracts/csv-text.ts";

test("cells with separators and quotes are quoted, numbers and absent values are plain", () => {
  expect(
    csvText(
      ["a", "b", "c"],
      [
        ["1,5", 'say "hi"', null],
        ["plain", -2, ""],
      ],
    ),
  ).toBe('a,b,c\r\n"1,5","say ""hi""",\r\nplain,-2,\r\n');
});

test("control characters and line breaks become a blank", () => {
  expect(csvText(["a"], [["two\r\nlines\u0085\u2028end"]])).toBe("a\r\ntwo lines end\r\n");
});

test.each(["=1+1", "+1", "-1", "@sum", "  =1", "＝1", "\t=1"])(
  "%j does not reach a spreadsheet as a formula",
  (text) => {
    expect(csvText(["a"], [[text]])).toMatch(/^a\r\n'/);
  },
);
