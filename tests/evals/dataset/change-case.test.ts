import { describe, expect, test } from "bun:test";
import { withoutCase, withReplacedCase } from "../../../src/evals/dataset/change-case.ts";
import { toAppError } from "../../../src/kit/app-error.ts";

const head =
  "# Ours.\napiVersion: platform/v1\nkind: Eval\nmetadata: {name: e}\nspec:\n  agent: a\n  checks: [{contains: a}]\n  cases:\n";
const text = `${head}    # All.
    -
      id: one # why
      query: |
        Long
          text
      checks: [{contains: x}] # sure
    # About two.
    - {id: two, query: Two?}
    - query: "Three?" # the third
  repeat: 2 # times
`;

const replaced = (index: number, one: object, of = text) => withReplacedCase(of, "e.eval.yaml", index, one);

describe("a replaced case", () => {
  test("keeps the comments of its other keys and the bytes of other cases", () => {
    const same = { id: "one", query: "Long\n  text\n", checks: [{ contains: "x" }] };
    expect(replaced(0, { ...same, tags: ["t"] })).toBe(
      text.replace("x}] # sure\n", "x}] # sure\n      tags:\n        - t\n"),
    );
    expect(replaced(2, { query: "3?" })).toContain('    - query: "3?" # the third\n  repeat: 2 # times\n');
    expect(replaced(1, { id: "two", query: "2?" })).toContain("query: 2?");
  });

  test("is refused with its faults, and where anchors tie it to others", () => {
    const codeOf = (run: () => unknown) => {
      try {
        run();
      } catch (thrown) {
        return toAppError(thrown).code;
      }
      return undefined;
    };
    expect(codeOf(() => replaced(0, { query: "a", colour: 1 }))).toBe("invalid_manifest");
    const tied = `${head}    - {id: a, query: &q Same}\n    - id: b\n      query: *q\n`;
    expect(codeOf(() => replaced(0, { id: "a", query: "Other" }, tied))).toBeDefined();
  });

  test("takes any text of a person", () => {
    for (const query of ["a: b # c", "- x", "\u202e'\"\\", "x\n\n y\n", "{{x}} %", "null", "\t"])
      expect(replaced(0, { id: "one", query })).toContain("# About two.");
  });
});

test("a deleted case takes the comment above it with it, but not that of the list", () => {
  expect(withoutCase(text, "e", 1)).toBe(
    text.replace("    # About two.\n    - {id: two, query: Two?}\n", ""),
  );
  const first = withoutCase(text, "e", 0);
  expect(first).toContain("    # All.\n    # About two.\n    - {id: two");
  expect(withoutCase(text, "e", 2)).toContain("  repeat: 2 # times\n");
});
