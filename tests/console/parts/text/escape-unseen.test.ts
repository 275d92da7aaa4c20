import { expect, test } from "bun:test";
import fc from "fast-check";
import { escapeUnseen } from "../../../../src/console/parts/text/escape-unseen.ts";

test("what has no glyph is escaped, and the rest stays", () => {
  expect(escapeUnseen("plain, Ünïcode, 漢字, عربي, 😀")).toBe("plain, Ünïcode, 漢字, عربي, 😀");
  expect(escapeUnseen("a\u202eb\u001b[31m\u009b\u200b\u2028\n\u007f")).toBe(
    "a\\u202eb\\u001b[31m\\u009b\\u200b\\u2028\\u000a\\u007f",
  );
  expect(escapeUnseen("e\u0301\u0301\u0301\u0301\u0301")).toBe("e\u0301\u0301\u0301\u0301\\u0301");
  expect(escapeUnseen("\u{e0041}\ud800x")).toBe("\\udb40\\udc41\\ud800x");
});

test("JSON keeps its value", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      expect(JSON.parse(escapeUnseen(JSON.stringify({ text })))).toEqual({ text });
    }),
  );
});
