import { expect, test } from "bun:test";
import fc from "fast-check";
import { escapeUnseen, escapeUnseenName } from "../../../../src/console/parts/text/escape-unseen.ts";

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

test("a name keeps the joiners of its writing, and shows all else that has no glyph", () => {
  for (const name of ["علی\u200cرضا", "👩\u200d👧", "👩🏽\u200d🚀", "❤\ufe0f\u200d🔥", "क्\u200dष"]) {
    expect(escapeUnseenName(name)).toBe(name);
  }
  expect(escapeUnseenName("\u202enimda")).toBe("\\u202enimda");
  expect(escapeUnseenName("An\u200da\u200b")).toBe("An\\u200da\\u200b");
  expect(escapeUnseenName("Ana\nGarcía")).toBe("Ana\\u000aGarcía");
});
