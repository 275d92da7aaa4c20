import { expect, test } from "bun:test";
import { newEvalText, withCase } from "../../../src/evals/dataset/add-case.ts";
import { toAppError } from "../../../src/kit/app-error.ts";

const text = `# Our cases.
apiVersion: platform/v1
kind: Eval
metadata: {name: e} # short
spec:
  agent: a
  checks: [{contains: fine}]
  cases:
    # The first one.
    - id: one
      query: "a long question that is written on one line because its author wanted it to be on one line, whatever its length" # why
`;

test("adds a case at the end and keeps comments, quotes and order", () => {
  const added = withCase(text, "e.eval.yaml", {
    id: "two",
    query: 'Line one\nline two: "yes"',
    expected: "fine",
    stubs: [{ tool: "t", input: { a: 1 }, output: null }],
  });
  expect(added).toBe(`${text}    - id: two
      query: |-
        Line one
        line two: "yes"
      expected: fine
      stubs:
        - tool: t
          input:
            a: 1
          output: null
`);
});

const checks = [{ contains: "hi" }];

test("makes a new file that is valid", () => {
  const made = newEvalText("e", "a", { id: "one", query: "hi", checks });
  expect(withCase(made, "e", { id: "two", query: "ho", checks })).toContain("- id: two");
});

test("refuses a case that every answer passes, and names it", () => {
  const bare = { id: "bare", query: "ho", expected: "hi" };
  const named = /no check that an answer can fail, so the case "bare"/;
  expect(() => newEvalText("e", "a", bare)).toThrow(named);
  const made = newEvalText("e", "a", { id: "one", query: "hi", checks });
  expect(() => withCase(made, "e", bare)).toThrow(named);
});

test("refuses a taken id, cases in another file, and a file that is not valid", () => {
  const code = (work: () => unknown) => {
    try {
      work();
    } catch (thrown) {
      return toAppError(thrown).code;
    }
    return "none";
  };
  expect(code(() => withCase(text, "e", { id: "one", query: "x" }))).toBe("case_exists");
  const elsewhere = `${text.slice(0, text.indexOf("cases:"))}cases: e.jsonl\n`;
  expect(code(() => withCase(elsewhere, "e", { id: "x", query: "x" }))).toBe("cases_elsewhere");
  expect(code(() => withCase("kind: Eval", "e", { id: "x", query: "x" }))).toBe("invalid_manifest");
});

test("adds to a list in brackets, before what follows the list, and after a block of text", () => {
  const add = (given: string) => withCase(given, "e", { id: "two", query: "ho" });
  const start = text.slice(0, text.indexOf("cases:"));
  expect(add(`${start}cases: [{id: one, query: hi}] # all\n  repeat: 2\n`)).toContain(
    "    - id: two\n      query: ho\n",
  );
  const block = `${start}cases:\n  - id: one\n    query: |\n      hi\n\n  repeat: 2 # twice\n# end`;
  expect(add(block)).toBe(block.replace("\n\n", "\n  - id: two\n    query: ho\n\n"));
  expect(add(`${start}cases:\n  - {id: one, query: hi}`)).toEndWith(
    "query: hi}\n  - id: two\n    query: ho\n",
  );
});
