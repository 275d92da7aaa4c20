import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { RE2JS } from "re2js";
import { unlimitedAllowance } from "../../../../src/engine/guardrails/build-allowance.ts";
import { compilePattern } from "../../../../src/engine/guardrails/content/compile-pattern.ts";
import { patternScanner } from "../../../../src/engine/guardrails/content/pattern-scanner.ts";
import { merged, type TextRange } from "../../../../src/engine/guardrails/content/text-ranges.ts";
import redos from "../../../corpora/redos.json" with { type: "json" };
import { finish } from "../../../support/at-once.ts";
import { growth } from "../../../support/growth.ts";

/** Returns the matches of a pattern in a text that arrives in these pieces. */
function scanned(source: string, pieces: readonly string[]): TextRange[] {
  const compiled = finish(compilePattern(source, unlimitedAllowance));
  if (!("program" in compiled)) throw new Error(`${source} ${compiled.problem}`);
  const covers: TextRange[] = [];
  let total = 0;
  const scanner = patternScanner(compiled.program, "pattern", (start, end, at) => {
    expect(start).toBeLessThan(end);
    expect(end).toBeLessThanOrEqual(at);
    covers.push({ start, end });
  });
  for (const piece of pieces) {
    scanner.read(piece);
    total += piece.length;
    expect(scanner.undecidedFrom).toBeLessThanOrEqual(total);
  }
  scanner.end();
  return merged(covers);
}

/** Returns re2js's own matches, one after the other. */
function matched(source: string, text: string): TextRange[] {
  const matcher = RE2JS.compile(source).matcher(text);
  const covers: TextRange[] = [];
  while (matcher.find()) covers.push({ start: matcher.start(), end: matcher.end() });
  return merged(covers.filter(({ start, end }) => end > start));
}

const pattern = fc.letrec<{ pattern: string; atom: string }>((tie) => ({
  atom: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom("a", "b", "c", ".", "[ab]", "[^a]", "\\w", "\\s", "é", "😀", "\\b", "^", "$", "(?i:B)"),
    tie("pattern").map((inner) => `(${inner})`),
    tie("pattern").map((inner) => `(?:${inner})`),
  ),
  pattern: fc.oneof(
    { maxDepth: 4 },
    tie("atom"),
    fc
      .tuple(tie("atom"), fc.constantFrom("*", "+", "?", "*?", "+?", "??", "{2}", "{1,3}"))
      .map((both) => both.join("")),
    fc.tuple(tie("pattern"), tie("pattern")).map((both) => both.join("")),
    fc.tuple(tie("pattern"), tie("pattern")).map((both) => both.join("|")),
  ),
})).pattern;

/** Returns true for patterns that the filter accepts and that have no empty match: there it differs from RE2 on purpose. */
const usable = (source: string, text: string): boolean => {
  if (!("program" in finish(compilePattern(source, unlimitedAllowance)))) return false;
  const matcher = RE2JS.compile(source).matcher(text);
  while (matcher.find()) if (matcher.end() === matcher.start()) return false;
  return true;
};

const texts = fc.string({
  unit: fc.constantFrom("a", "b", "c", "B", " ", "\n", "é", "😀", "-"),
  maxLength: 30,
});

describe("what is found", () => {
  test("is what re2js finds, in a text as a whole and character by character", () => {
    let checked = 0;
    fc.assert(
      fc.property(pattern, texts, (source, text) => {
        fc.pre(usable(source, text));
        checked++;
        const expected = matched(source, text);
        expect(scanned(source, [text])).toEqual(expected);
        expect(scanned(source, [...text])).toEqual(expected);
      }),
      { numRuns: 3000, maxSkipsPerRun: 1000 },
    );
    expect(checked).toBe(3000);
  });

  test.each([
    ["the first alternative that matches, as RE2 prefers", "ab|abcd", "xabcdx", [[1, 3]]],
    [
      "a lazy match, then the next",
      "<.*?>",
      "<a> b <c>",
      [
        [0, 3],
        [6, 9],
      ],
    ],
    ["a greedy match to its far end", "<.*>", "<a> b <c> d", [[0, 9]]],
    ["what stands in a longer attempt that fails", "<.*>|secret", "<a secret", [[3, 9]]],
    ["all that a longer match covers in the end", "<.*>|secret", "<a secret b>", [[0, 12]]],
    ["a match at the end of the text only", "\\d+$", "12 345", [[3, 6]]],
    [
      "words at ASCII boundaries",
      "\\bcat\\b",
      "cat concat cat",
      [
        [0, 3],
        [11, 14],
      ],
    ],
    [
      "lines",
      "(?m)^x.*$",
      "ax\nxy\nzx\nx",
      [
        [3, 5],
        [9, 10],
      ],
    ],
    ["what is not empty", "a|\\b", "b a", [[2, 3]]],
  ])("%s", (_, source, text, expected) => {
    expect(scanned(source, [...text])).toEqual(expected.map(([start = 0, end = 0]) => ({ start, end })));
  });
});

describe("what can't be used is refused, with the reason", () => {
  test.each([
    ["(?=a)b", "lookaround"],
    ["(?!a)b", "lookaround"],
    ["(?<=a)b", "lookaround"],
    ["(?<!a)b", "lookaround"],
    ["(a)\\1", "backreferences"],
    ["(?P<x>a)(?P=x)", "is not a pattern that can be used"],
    ["[a", "missing closing ]"],
    ["a{2000}", "invalid repeat count"],
    ["(?:(?:abcde){100}){9}", "too large"],
    ["a++", "is not a pattern that can be used"],
    ["x*", "matches the empty text"],
    ["^", "matches the empty text"],
    ["", "matches the empty text"],
  ])("%s: %s", (source, reason) => {
    expect(finish(compilePattern(source, unlimitedAllowance))).toEqual({
      problem: expect.stringContaining(reason),
    });
  });
});

describe("redos: the work grows with the text, not faster", () => {
  /** The recipes of the corpus, which are in another language, as texts of any length. */
  const inputs: Record<string, (times: number) => string> = {
    "redos-003": (times) => `x${" ".repeat(times)}x`,
    "redos-004": (times) => `${"a".repeat(times)}!`,
    "redos-005": (times) => "x".repeat(times),
    "redos-006": (times) => "a".repeat(times),
    "redos-008": (times) => "<script".repeat(times / 7),
    "redos-009": (times) => "<".repeat(times),
    "redos-010": (times) => "1".repeat(times),
    "redos-011": (times) => "1 ".repeat(times / 2),
    "redos-012": (times) => `${"1 ".repeat(times / 2)}x`,
    "redos-015": (times) => "${".repeat(times / 2),
    "redos-016": (times) => "```".repeat(times / 3),
    "redos-017": (times) => "{".repeat(times),
    "redos-022": (times) => `${"a".repeat(times)}!`,
  };

  test("every entry has its recipe", () => {
    expect(redos.entries.map(({ id }) => id).sort()).toEqual(Object.keys(inputs).sort());
  });

  for (const { id, input } of redos.entries) {
    test(`${id}: ${input.pattern}`, () => {
      const recipe = inputs[id] ?? String;
      // redos-006 may match the empty text, so the filter refuses it.
      if ("problem" in finish(compilePattern(input.pattern, unlimitedAllowance)))
        return expect(id).toMatch(/redos-00[46]/);
      expect(growth(recipe, (text) => scanned(input.pattern, [text]))).toBeLessThan(4);
    });
  }

  // Patterns for which RE2 would take quadratic time, because it looks ahead for each match.
  test.each([
    ["a.*b|a", "a"],
    ["(a|b)*c|a", "ab"],
    ['"[^"]*"|\\w', '"a'],
    ["(?:a?){50}a{50}", "a"],
  ])("%s", (source, unit) => {
    expect(
      growth(
        (times) => unit.repeat(times / 10),
        (text) => scanned(source, [text]),
      ),
    ).toBeLessThan(4);
  });
});
