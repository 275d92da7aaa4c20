import { expect, test } from "bun:test";
import fc from "fast-check";
import { maskPieces } from "../../../../src/engine/cassettes/record/mask-pieces.ts";

const mask = (text: string) => text.replaceAll(/s\d+t/g, "[redacted]");

test.each<{ pieces: string[]; masked: string[] }>([
  { pieces: ["a", "b"], masked: ["a", "b"] },
  { pieces: ["is s1", "23t now"], masked: ["is [redacted]", " now"] },
  { pieces: ["s", "1", "2", "t"], masked: ["[redacted]", "", "", ""] },
  { pieces: ["as1tb", "c", "ds2", "te"], masked: ["a[redacted]b", "c", "d[redacted]", "e"] },
  { pieces: ["s1ts2t"], masked: ["[redacted][redacted]"] },
  { pieces: ["s1", "t", "s2t", "!"], masked: ["[redacted][redacted]", "", "", "!"] },
  { pieces: ["[redacted] and s1t"], masked: ["[redacted] and [redacted]"] },
])("$pieces", ({ pieces, masked }) => {
  expect(maskPieces(pieces, mask)).toEqual(masked);
});

test("for any pieces, together they are the masked text, and none is lost", () => {
  const part = fc.constantFrom("s", "1", "22", "t", " ", "no", "[redacted]", "é😀");
  fc.assert(
    fc.property(
      fc.array(
        fc.array(part).map((parts) => parts.join("")),
        { maxLength: 8 },
      ),
      (pieces) => {
        const masked = maskPieces(pieces, mask);
        expect(masked).toHaveLength(pieces.length);
        expect(masked.join("")).toBe(mask(pieces.join("")));
      },
    ),
    { numRuns: 2000 },
  );
});
