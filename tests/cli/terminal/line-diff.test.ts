import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { lineDiff } from "../../../src/cli/terminal/line-diff.ts";

const shown = (before: string, after: string) =>
  lineDiff(before.split(" "), after.split(" ")).map(({ mark, text }) => `${mark}${text}`);

describe("a diff of lines", () => {
  test.each([
    ["a", "a", ["…"]],
    ["a", "b", ["-a", "+b"]],
    ["a b c", "a c", [" a", "-b", " c"]],
    ["a c", "a b c", [" a", "+b", " c"]],
    ["1 2 3 4 5 6", "1 2 3 x 5 6", ["…", " 2", " 3", "-4", "+x", " 5", " 6"]],
    ["x 1 2 3 4 5 6 y", "z 1 2 3 4 5 6 w", ["-x", "+z", " 1", " 2", "…", " 5", " 6", "-y", "+w"]],
  ])("of %j and %j", (before, after, expected) => {
    expect(shown(before, after)).toEqual(expected);
  });

  test("has every removed and added line, in order", () => {
    const lines = fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 30 });
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const diff = lineDiff(before, after);
        const rest = (texts: readonly string[], mark: string) => {
          const left = [...texts];
          for (const { text } of diff.filter((line) => line.mark === mark)) {
            const at = left.indexOf(text);
            expect(at).toBeGreaterThanOrEqual(0);
            left.splice(0, at + 1);
          }
          return left;
        };
        rest(before, "-");
        rest(after, "+");
        const count = (mark: string) => diff.filter((line) => line.mark === mark).length;
        expect(before.length - count("-")).toBe(after.length - count("+"));
      }),
      { seed: 20_261_122 },
    );
  });

  test("of two large texts without a common line is quick: all of one, then all of the other", () => {
    const before = Array.from({ length: 5000 }, (_, at) => `a${at}`);
    const after = Array.from({ length: 5000 }, (_, at) => `b${at}`);
    expect(lineDiff(before, after)).toHaveLength(10_000);
  });
});
