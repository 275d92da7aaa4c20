import { expect, test } from "bun:test";
import fc from "fast-check";
import { cutAtSentence } from "../../../../src/engine/tools/summary/cut-at-sentence.ts";

test.each([
  ["Short.", 20, "Short."],
  ["One. Two is longer. Three.", 20, "One. Two is longer."],
  ["One. Two.", 4, "One."],
  ["Version 2.5 is out now, it is said", 20, "Version 2.5 is out…"],
  ['He said "go." Then he went home.', 15, 'He said "go."'],
  ["Is it? Yes! Well…  and so on and on", 18, "Is it? Yes! Well…"],
  ["第一句。第二句很长很长。", 6, "第一句。"],
  ["one two three four", 10, "one two…"],
  ["😀😀😀😀", 4, "😀…"],
  ["abcdefghijkl", 5, "abcd…"],
])("%p in %d characters is %p", (text, charsMax, cut) => {
  expect(cutAtSentence(text, charsMax)).toBe(cut);
});

test("it is never too long and never ends within a character", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "grapheme", maxLength: 80 }),
      fc.integer({ min: 2, max: 60 }),
      (text, charsMax) => {
        const cut = cutAtSentence(text, charsMax);
        expect(cut.length).toBeLessThanOrEqual(charsMax);
        if (text.isWellFormed()) expect(cut.isWellFormed()).toBeTrue();
        if (cut !== text) expect(text.startsWith(cut.replace(/…$/, ""))).toBeTrue();
      },
    ),
  );
});
