import { expect, test } from "bun:test";
import fc from "fast-check";
import { didYouMean, editDistance } from "../../../src/kit/text/did-you-mean.ts";

const keys = ["description", "guardrails", "maxTokens", "memory", "model", "name", "prompt", "tools"];

test.each([
  ["modle", "model"],
  ["Model", "model"],
  ["tool", "tools"],
  ["guardrial", "guardrails"],
  ["max_tokens", "maxTokens"],
  ["descripton", "description"],
  ["nmae", "name"],
  ["temperature", undefined],
  ["x", undefined],
  ["", undefined],
  ["m".repeat(10_000), undefined],
])("%p is meant to be %p", (word, expected) => {
  expect(didYouMean(word, keys)).toBe(expected);
});

test("the nearest of several, the first of equals", () => {
  expect(didYouMean("car", ["cart", "cat", "bar"])).toBe("cart");
  expect(didYouMean("pattern", ["patterns", "pattern"])).toBe("pattern");
});

test("the distance is symmetric, zero only for equals, and at most the number of edits made", () => {
  const word = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 8 });
  fc.assert(
    fc.property(word, word, (a, b) => {
      const distance = editDistance(a, b, 8);
      expect(distance).toBe(editDistance(b, a, 8));
      expect(distance === 0).toBe(a === b);
      expect(distance).toBeLessThanOrEqual(Math.max(a.length, b.length));
      expect(editDistance(a, b, 2)).toBe((distance ?? 9) <= 2 ? distance : undefined);
    }),
  );
  expect([editDistance("ab", "ba", 3), editDistance("kitten", "sitting", 3)]).toEqual([1, 3]);
});
