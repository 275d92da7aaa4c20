import { expect, test } from "bun:test";
import fc from "fast-check";
import { estimateTokens } from "../../../../src/engine/models/token-count.ts";
import { textParts } from "../../../../src/engine/tools/summary/text-parts.ts";
import { growth } from "../../../support/growth.ts";

test.each([
  ["whole", "aaaa bbbb", 10, ["aaaa bbbb"]],
  [
    "at a paragraph",
    `${"a".repeat(30)}\n\n${"b".repeat(4)} ${"c".repeat(30)}`,
    10,
    [`${"a".repeat(30)}\n\n`, `bbbb ${"c".repeat(30)}`],
  ],
  [
    "at a sentence",
    `${"a".repeat(25)}. bbbb ${"c".repeat(20)}`,
    10,
    [`${"a".repeat(25)}. `, `bbbb ${"c".repeat(20)}`],
  ],
  ["at a word", `${"a".repeat(30)} ${"b".repeat(30)}`, 10, [`${"a".repeat(30)} `, "b".repeat(30)]],
  ["anywhere, but not within a character", "😀".repeat(6), 5, ["😀😀", "😀😀", "😀😀"]],
])("cuts %s", (_, text, tokensMax, parts) => {
  expect(textParts(text, tokensMax, 100)).toEqual(parts);
});

test("there are no more parts than allowed", () => {
  expect(textParts("a".repeat(400), 10, 10)).toHaveLength(10);
  expect(textParts("a".repeat(401), 10, 10)).toBeUndefined();
});

test("the parts are the text, and each fits", () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom("word ", "句子。", "\n\n", "{}", "😀", "end. "), { maxLength: 60 }),
      fc.integer({ min: 4, max: 30 }),
      (pieces, tokensMax) => {
        const text = pieces.join("");
        const parts = textParts(text, tokensMax, 1000) ?? [];
        expect(parts.join("")).toBe(text);
        for (const part of parts) {
          expect(estimateTokens(part)).toBeLessThanOrEqual(tokensMax);
          expect(part.isWellFormed()).toBeTrue();
        }
      },
    ),
  );
});

test("in linear time", () => {
  expect(
    growth(
      (times) => "a b".repeat(times),
      (text) => textParts(text, 1000, 10_000),
    ),
  ).toBeLessThan(3);
});
