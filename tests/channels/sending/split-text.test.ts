import { expect, test } from "bun:test";
import fc from "fast-check";
import { splitText } from "../../../src/channels/sending/split-text.ts";

test.each([
  ["", []],
  [" \n ", []],
  ["short", ["short"]],
  ["  around  ", ["around"]],
  ["0123456789", ["0123456789"]],
  ["01234567890", ["0123456789", "0"]],
  ["one\n\ntwo\n\nthree", ["one\n\ntwo", "three"]],
  ["one.\ntwo three", ["one.", "two three"]],
  ["One is. Two is", ["One is.", "Two is"]],
  ["three four five", ["three four", "five"]],
  ["paragraph1\n \nnext", ["paragraph1", "next"]],
  ["a\n\nlonger word", ["a\n\nlonger", "word"]],
  ["012345678😀", ["012345678", "😀"]],
])("%j", (text, parts) => {
  expect(splitText(text, 10, 10)).toEqual(parts);
});

test("what is beyond the last part is cut, and the cut is shown", () => {
  expect(splitText("one two three four five six", 10, 2)).toEqual(["one two", "three …"]);
  expect(splitText("x".repeat(100), 10, 3).map((part) => part.length)).toEqual([10, 10, 10]);
});

test("any text: parts are short, not empty, whole characters, and hold all but the spaces between them", () => {
  const words = fc.array(
    fc.oneof(fc.string({ unit: "grapheme" }), fc.constantFrom("\n\n", "\n", " ", ". ", "😀")),
  );
  fc.assert(
    fc.property(words, fc.integer({ min: 8, max: 40 }), (pieces, max) => {
      const text = pieces.join("");
      const parts = splitText(text, max, 1000);
      for (const part of parts) {
        expect(part.length).toBeGreaterThan(0);
        expect(part.length).toBeLessThanOrEqual(max);
        expect(part.isWellFormed()).toBe(text.isWellFormed());
      }
      const without = (whole: string) => whole.replace(/\s/g, "");
      expect(without(parts.join(""))).toBe(without(text));
      const few = splitText(text, max, 3);
      expect(few.length).toBeLessThanOrEqual(3);
      for (const part of few) expect(part.length).toBeLessThanOrEqual(max);
    }),
  );
});
