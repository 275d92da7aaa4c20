import { describe, expect, test } from "bun:test";
import { loadEval } from "../../../src/evals/dataset/load-eval.ts";
import { toAppError } from "../../../src/kit/app-error.ts";

const head = "apiVersion: platform/v1\nkind: Eval\nmetadata: {name: e}\nspec:\n  agent: a\n";

function load(text: string, others: Record<string, string> = {}) {
  const files: Record<string, string> = { "/w/evals/e.eval.yaml": text, ...others };
  return loadEval(
    "/w/evals/e.eval.yaml",
    "evals/e.eval.yaml",
    async (path) => files[path] ?? Promise.reject(new Error(path)),
  );
}

test("cases get the checks and stubs of the eval: their own stubs first, their own checks last", async () => {
  const { cases, variants } = await load(
    `${head}  checks: [{contains: a}]
  variants: [{name: short, prompt: ../prompts/short.md}]
  tools: {stubs: [{tool: t, output: 1}]}
  cases:
    - {query: "\${HOME}", stubs: [{tool: t, output: 2}], checks: [{max_steps: 1}]}
`,
    { "/w/prompts/short.md": "Be short." },
  );
  expect(cases).toMatchObject([{ id: "case-1", stubs: [{ output: 2 }, { output: 1 }] }]);
  expect(cases[0]?.checks.map(({ kind }) => kind)).toEqual(["contains", "max_steps"]);
  // A question that mentions a variable is asked as it is.
  expect(cases[0]?.turns[0]?.query).toMatch(/^\$\{HOME\}$/);
  expect(variants).toEqual([{ name: "short", prompt: "Be short." }]);
});

test("cases may be in a file beside it", async () => {
  const { cases } = await load(`${head}  checks: [{contains: a}]\n  cases: e.jsonl\n`, {
    "/w/evals/e.jsonl": '{"query": "hi"}\n',
  });
  expect(cases).toMatchObject([{ id: "case-1", turns: [{ query: "hi" }] }]);
});

describe("faults have file, line and column", () => {
  const faults: [text: string, message: string][] = [
    [
      `${head}  cases:\n    - query: a\n      checks:\n        - contians: b\n`,
      "evals/e.eval.yaml:9:11: spec.cases[0].checks[0].contians",
    ],
    [
      `${head}  cases:\n    - query: a\n      checks:\n        - regex: (?=a)\n`,
      "evals/e.eval.yaml:9:18: spec.cases[0].checks[0].regex can't be matched in linear time",
    ],
    [
      `${head}  checks: [{contains: a}]\n  cases:\n    - {id: x, query: a}\n    - {id: x, query: b}\n`,
      "evals/e.eval.yaml:9:12: spec.cases[1].id repeats",
    ],
    [
      `${head}  cases:\n    - {query: a, turns: [{query: b}]}\n`,
      "evals/e.eval.yaml:7:7: spec.cases[0] must have either",
    ],
    [
      `${head}  cases:\n    - {query: a, checks: [{contains: a}]}\n    - {id: bare, query: b}\n`,
      'evals/e.eval.yaml:8:7: spec.cases[1] has no check that an answer can fail, so the case "bare"',
    ],
    [`${head}  cases: []\n`, "evals/e.eval.yaml:6:10: spec.cases"],
    [`${head}  cases: e.txt\n`, "evals/e.eval.yaml:6:10: spec.cases must be a .jsonl or .csv file"],
    [
      `${head}  cases:\n    - query: a\n      checks: [{judge: {rubric: r}}]\n`,
      "evals/e.eval.yaml:8:24: spec.cases[0].checks[0].judge needs a model",
    ],
    [`${head}  cases: &x [*x]\n`, "evals/e.eval.yaml:6"],
    [`${head}  repeat: 0\n  cases: [{query: a}]\n`, "evals/e.eval.yaml:6:11: spec.repeat"],
    ["kind: Eval\n", "evals/e.eval.yaml:"],
    ["a: [", "evals/e.eval.yaml:1"],
  ];
  test.each(faults)("%j", async (text, message) => {
    const error = toAppError(await load(text).catch((thrown) => thrown));
    expect(error.code).toBe("invalid_manifest");
    expect(error.message).toStartWith(message);
  });

  test("a dataset's by its line", async () => {
    const error = toAppError(
      await load(`${head}  cases: e.csv\n`, { "/w/evals/e.csv": "query\n" }).catch((thrown) => thrown),
    );
    expect([error.code, error.message]).toEqual(["invalid_dataset", "e.csv:1: has no case"]);
  });
});
