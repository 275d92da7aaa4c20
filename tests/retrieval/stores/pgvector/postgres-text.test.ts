import { expect, test } from "bun:test";
import fc from "fast-check";
import { compareTexts } from "../../../../src/retrieval/stores/compare-texts.ts";
import { fromPostgresText, toPostgresText } from "../../../../src/retrieval/stores/pgvector/postgres-text.ts";

const text = fc.string({ unit: fc.constantFrom("\0", "\u0001", "\u0002", "\u0003", "a", "😀") });

test("a text comes back as it was, without a NUL in between", () => {
  fc.assert(
    fc.property(text, (one) => {
      expect(toPostgresText(one)).not.toContain("\0");
      expect(fromPostgresText(toPostgresText(one))).toBe(one);
    }),
  );
  expect(toPostgresText("half \ud83d")).toBe("half \ufffd");
});

test("texts keep their order", () => {
  fc.assert(
    fc.property(text, text, (one, other) => {
      expect(Math.sign(compareTexts(toPostgresText(one), toPostgresText(other)))).toBe(
        Math.sign(compareTexts(one, other)),
      );
    }),
  );
});
