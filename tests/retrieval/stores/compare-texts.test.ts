import { expect, test } from "bun:test";
import fc from "fast-check";
import { compareTexts } from "../../../src/retrieval/stores/compare-texts.ts";

test("texts have the order of their UTF-8 bytes", () => {
  const text = fc.string({
    unit: fc.constantFrom("a", "é", "\uffee", "\ue000", "\u{1f600}", "\u{1f601}", "\0"),
  });
  fc.assert(
    fc.property(text, text, (one, other) => {
      expect(Math.sign(compareTexts(one, other))).toBe(Buffer.compare(Buffer.from(one), Buffer.from(other)));
    }),
  );
});
