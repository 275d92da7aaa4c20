import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { createGuardrailChain } from "../../../src/engine/guardrails/chain.ts";
import { filterJsonText, JsonAnswer } from "../../../src/engine/guardrails/json-answer.ts";
import { EscapeReader, withEscapes } from "../../../src/engine/guardrails/json-escapes.ts";
import { stepsCounted, type Work } from "../../../src/kit/concurrency/others-turn.ts";
import { finish } from "../../support/at-once.ts";

/** The text as guardrails see it. */
function seen(...pieces: string[]): string {
  const reader = new EscapeReader();
  return pieces.map((piece) => reader.read(piece)).join("") + reader.rest();
}

const left = (...pieces: string[]) => withEscapes(seen(...pieces));

describe("guardrails see", () => {
  test.each([
    ["the character of an escape in lower case", "contrase\\u00f1a", "contraseña"],
    ["in upper case", "contrase\\u00F1a", "contraseña"],
    ["an ASCII one", "bob\\u0040example.com", "bob@example.com"],
    ["a pair", "\\ud83d\\uDE00!", "😀!"],
    ["a slash", "a\\/b", "a/b"],
    ["a quote as a quote", 'say \\u0022no\\u0022 or \\"no\\"', 'say \\"no\\" or \\"no\\"'],
    ["a backslash as one", "C:\\u005cu0041", "C:\\\\u0041"],
    ["no character in an escaped backslash", "\\\\u0041 \\\\\\u0041", "\\\\u0041 \\\\A"],
    ["a line break as white space", "a\\nb\\u000Ac", "a\fb\fc"],
    ["a tab as white space", "a\\tb\\u0009c", "a\vb\vc"],
    ["half a pair as unknown", "\\ud83d \\ude00 \\ud83dx", "\ufffd \ufffd \ufffdx"],
    ["halves in the wrong order as unknown", "\\ude00\\ud83d", "\ufffd\ufffd"],
    ["two first halves, then the second", "\\ud83d\\ud83d\\ude00", "\ufffd😀"],
    ["what is not an escape as it is", "\\u12 \\uzzzz \\q \\", "\\u12 \\uzzzz \\q \\"],
    ["an unfinished escape at the end", "a\\u00e", "a\\u00e"],
  ])("%s", (_what, text, expected) => {
    expect(seen(text)).toBe(expected);
    expect(seen(...text)).toBe(expected);
    for (let at = 0; at <= text.length; at++) expect(seen(text.slice(0, at), text.slice(at))).toBe(expected);
  });

  test("no word that begins with the letter of an escape", () => {
    for (const letter of "bfnrt") expect(seen(`\\${letter}contraseña`)).not.toMatch(/[a-z]contraseña/);
    for (let code = 0; code < 32; code++)
      expect(seen(`\\u${code.toString(16).padStart(4, "0")}contraseña`)).toMatch(/[^\p{L}\p{N}]contraseña$/u);
  });
});

const piece = fc.oneof(
  fc.constantFrom(
    "\\",
    "u",
    "00",
    "d83d",
    "DE00",
    "/",
    '"',
    "n",
    "\\n",
    "\\u0000",
    "\\u001F",
    "\f",
    "\ufdd0",
  ),
  fc.string({ unit: "binary", maxLength: 3 }),
);

test("the result does not depend on the pieces", () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      expect(seen(...pieces)).toBe(seen(pieces.join("")));
    }),
    { numRuns: 2000 },
  );
});

/** JSON with as many escapes as there may be. */
function escaped(json: string, random: readonly boolean[]): string {
  let at = 0;
  return json.replace(/[^\\{}[\]:,"\d.eE+\-trufalsn]/gu, (character) =>
    random[at++ % random.length] === true
      ? Array.from(
          { length: character.length },
          (_, unit) => `\\u${character.charCodeAt(unit).toString(16).padStart(4, "0")}`,
        ).join("")
      : character,
  );
}

test("JSON leaves as equal JSON", () => {
  fc.assert(
    fc.property(
      fc.jsonValue({ stringUnit: "grapheme" }),
      fc.array(fc.boolean(), { minLength: 1 }),
      (value, random) => {
        const json = JSON.stringify(value).replaceAll(/[\ufdd0-\ufdef]/g, "");
        const text = escaped(json, random);
        expect(JSON.parse(text)).toEqual(JSON.parse(json));
        expect(JSON.parse(left(...text))).toEqual(JSON.parse(json));
      },
    ),
    { numRuns: 1000 },
  );
});

test("every control character leaves as an escape that can't be read as part of a word", () => {
  for (let code = 0; code < 32; code++) {
    const json = JSON.stringify(`a${String.fromCharCode(code)}b`);
    expect(JSON.parse(left(json))).toBe(`a${String.fromCharCode(code)}b`);
    expect(left(json)).toMatch(/^"a\\u00[01][0-9a-f]b"$/);
  }
});

test("characters that are replaced with others don't become them", () => {
  expect(left("a\fb\vc\ufdd0d\\ufdd1e")).toBe("a b c\ufffdd\ufffde");
});

test("plain text passes as it is", () => {
  const reader = new EscapeReader();
  expect([reader.isPlain('{"a": "ñ"}\n'), reader.isPlain("a\\"), reader.isPlain("\f")]).toEqual([
    true,
    false,
    false,
  ]);
  reader.read("\\u00");
  expect(reader.isPlain("x")).toBe(false);
});

test("a long text is rewritten in pieces, there and back", () => {
  const unguarded = createGuardrailChain([]);
  const json = JSON.stringify("\n".repeat(400_000));
  const left = JSON.stringify("\n".repeat(400_000)).replaceAll("\\n", "\\u000a");
  const works: (() => Work<string>)[] = [
    () => new JsonAnswer(unguarded.open()).push(json),
    () => filterJsonText(json, (text) => unguarded.filterValue(text)),
  ];
  for (const work of works) {
    const before = stepsCounted();
    expect(finish(work()) === left).toBe(true);
    expect(stepsCounted() - before).toBeGreaterThan(2 * json.length);
  }
});
