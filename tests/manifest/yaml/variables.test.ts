import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { refusingVariables, substituting, variablesIn } from "../../../src/manifest/yaml/variables.ts";

const values = new Map([
  ["A", "one"],
  ["B_2", "two"],
  ["EMPTY", ""],
  ["NESTED", `\${A}`],
]);

function substitute(text: string) {
  const faults: string[] = [];
  const result = substituting((name) => values.get(name))(text, (message) => faults.push(message));
  return { result, faults };
}

test.each([
  ["nothing to do", "nothing to do"],
  ["", ""],
  [`\${A}`, "one"],
  [`x\${A}y\${B_2}z`, "xoneytwoz"],
  [`\${A}\${A}`, "oneone"],
  [`[\${EMPTY}]`, "[]"],
  [`$\${A}`, `\${A}`],
  [`$$\${A}`, `$\${A}`],
  [`$\${A}\${A}`, `\${A}one`],
  ["$A $ {A} $", "$A $ {A} $"],
  ["{{ a }} }", "{{ a }} }"],
  [`\${NESTED}`, `\${A}`],
])("%s becomes %s", (text, expected) => {
  expect(substitute(text)).toEqual({ result: expected, faults: [] });
});

test.each([
  ["a variable that is not set", `x \${MISSING}`, "MISSING, which is not set"],
  ["no end", `\${A`, "that no variable name"],
  ["no name", `\${}`, "that no variable name"],
  ["a default", `\${A:-x}`, "that no variable name"],
  ["a space", `\${ A}`, "that no variable name"],
  ["a digit first", `\${1A}`, "that no variable name"],
  ["a nested opening", `\${A\${B_2}}`, "that no variable name"],
  ["a name without end", `\${${"A".repeat(500_000)}}`, "that no variable name"],
  ["a hundred thousand openings", `\${`.repeat(100_000), "that no variable name"],
  ["a hundred thousand spaced openings", `\${ `.repeat(100_000), "that no variable name"],
])("%s is a fault", (_, text, words) => {
  const { faults } = substitute(text);
  expect(faults).toHaveLength(1);
  expect(faults[0]).toContain(words);
});

test("a hundred thousand escapes are read once each", () => {
  expect(substitute(`$\${`.repeat(100_000))).toEqual({ result: `\${`.repeat(100_000), faults: [] });
});

test("a small text can't grow without bound", () => {
  const faults: string[] = [];
  const read = substituting(() => "x".repeat(100_000));
  for (let i = 0; i < 20; i++) read(`\${BIG}`, (message) => faults.push(message));
  expect(faults.length).toBe(10);
  expect(faults[0]).toContain("too long");
});

test("who sends a document can't read variables", () => {
  const faults: string[] = [];
  for (const text of [`\${HOME}`, `a $\${b}`, `\${`])
    refusingVariables(text, (message) => faults.push(message));
  expect(faults).toHaveLength(3);
  refusingVariables("costs 5 $, {a}", (message) => faults.push(message));
  expect(faults).toHaveLength(3);
});

describe("for any text", () => {
  const piece = fc.oneof(
    fc.constantFrom("$", "{", "}", `\${`, `$\${`, "A", `\${A}`, "B_2"),
    fc.string({ maxLength: 4 }),
  );
  const text = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(""));

  test("the names that are listed are those that are looked up", () => {
    fc.assert(
      fc.property(text, (sample) => {
        const looked: string[] = [];
        const read = substituting((name) => {
          looked.push(name);
          return "";
        });
        read(sample, () => {});
        expect(variablesIn(sample)).toEqual(looked);
      }),
    );
  });

  test("escaping each opening gives the text back", () => {
    fc.assert(
      fc.property(fc.string(), (sample) => {
        fc.pre(!sample.includes("$"));
        const { result, faults } = substitute(`${sample}$\${${sample}}`);
        expect(faults).toEqual([]);
        expect(result).toBe(`${sample}\${${sample}}`);
      }),
    );
  });
});
