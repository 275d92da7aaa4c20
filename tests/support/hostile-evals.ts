import { expect } from "bun:test";
import { compileChecks } from "../../src/evals/checks/compile-checks.ts";
import { createDocumentAllowance } from "../../src/evals/checks/document-allowance.ts";
import { fixedAnswer, type Observation } from "../../src/evals/checks/observation.ts";
import { readSentEval } from "../../src/evals/hosted/read-eval.ts";
import { beyondCaseWork, evaluateCase } from "../../src/evals/running/evaluate-case.ts";
import { toAppError } from "../../src/kit/app-error.ts";
import { inPieces } from "../../src/kit/concurrency/others-turn.ts";
import { longestBlockMs } from "./processor-time.ts";

const KIB = 1024;

const fill = (unit: string, length: number) => unit.repeat(Math.ceil(length / unit.length)).slice(0, length);
const entries = (count: number, of: (n: number) => object) => Array.from({ length: count }, (_, n) => of(n));

/** Compiles the checks of one case and carries them out on one answer. */
export async function judgeOne(given: readonly object[], seen: Observation): Promise<string[]> {
  const compiling = {
    defaults: { embedder: "local_hash", judge: { votes: 1 } },
    allowance: createDocumentAllowance(),
    problems: [],
  };
  const checks = await inPieces(compileChecks(given, "checks", compiling));
  const result = await evaluateCase(
    {
      case: { id: "c", turns: [{ query: "q", context: {}, checks: [] }], checks, tags: [], stubs: [] },
      target: { name: "agent" },
      repeat: 1,
    },
    [seen],
    undefined as never,
    new AbortController().signal,
  );
  return result.checks.map(({ reason = "" }) => reason);
}

const list = JSON.stringify(Array.from({ length: 9000 }, (_, n) => ({ a: n })));
const numbers = JSON.stringify(Array.from({ length: 100_000 }, (_, n) => n));
const keys = JSON.stringify(Object.fromEntries(Array.from({ length: 9000 }, (_, n) => [`k${n}`, n])));
/** Letters that join the one before them. */
export const marks = fill("\u0301\u0323", 64 * KIB);

/** Hostile checks of evals, with the answer that they look at. */
export const hostileChecks: [name: string, checks: object[], answer: string][] = [
  ["regex", entries(128, () => ({ regex: "(?:a|b|c|d|e){990}x" })), fill("abcde", 64 * KIB)],
  [
    "not_regex of many choices",
    entries(128, () => ({ not_regex: "(?:a?b?c?){200}x" })),
    fill("abc", 64 * KIB),
  ],
  ["regex of large classes", entries(128, () => ({ regex: "(?:\\pL\\pN?){450}!" })), fill("aé1", 64 * KIB)],
  ["contains", entries(128, () => ({ contains: `${fill("ab", 8000)}c` })), fill("ab", 64 * KIB)],
  ["contains, marks", entries(128, () => ({ contains: "b" })), marks],
  ["equals, marks", entries(64, () => ({ equals: marks.slice(0, 60_000) })), marks],
  ["json_path over a list", entries(128, () => ({ json_path: { path: "$[*].a", equals: -1 } })), list],
  [
    "json_path with a large value",
    entries(128, () => ({ json_path: { path: "$", equals: JSON.parse(list) } })),
    list,
  ],
  ["json_path with text", entries(128, () => ({ json_path: { path: "$[*]", contains: "zz" } })), list],
  [
    "uniqueItems",
    entries(64, () => ({ json_schema: { allOf: Array(80).fill({ uniqueItems: true }) } })),
    numbers,
  ],
  [
    "contains of a schema",
    entries(32, () => ({ json_schema: { allOf: Array(140).fill({ contains: { const: -1 } }) } })),
    numbers,
  ],
  [
    "deep references",
    entries(64, () => ({
      json_schema: {
        items: { $ref: "#/$defs/x" },
        $defs: { x: { type: "string", minLength: 1, maxLength: 5, pattern: "a", format: "uri", title: "a" } },
      },
    })),
    numbers,
  ],
  [
    "patterns of keys",
    entries(32, () => ({ json_schema: { allOf: Array(100).fill({ patternProperties: { "^z": true } }) } })),
    keys,
  ],
  [
    "unknown keys",
    entries(16, () => ({
      json_schema: { allOf: Array(140).fill({ properties: { a: true } }), unevaluatedProperties: false },
    })),
    keys,
  ],
];

const documentOf = (checks: (n: number) => object[], cases: number) => ({
  apiVersion: "platform/v1",
  kind: "Eval",
  metadata: { name: "x" },
  spec: {
    agent: "a",
    cases: Array.from({ length: cases }, (_, n) => ({ query: "q", answer: "a", checks: checks(n) })),
  },
});

/** Hostile documents, each below 1 MiB. */
export const hostileDocuments: [name: string, document: object][] = [
  [
    "patterns without case",
    documentOf((n) => entries(12, (m) => ({ regex: `(?i)${fill("[\\pL]", 90)}${n} ${m}` })), 80),
  ],
  [
    "patterns of large classes",
    documentOf((n) => entries(12, (m) => ({ regex: `${fill("\\PL", 900)}${n} ${m}` })), 60),
  ],
  [
    "patterns of 2,000 steps",
    documentOf((n) => entries(60, (m) => ({ regex: `(?:a|b|c){990}${n} ${m}` })), 70),
  ],
  [
    "schemas of patterns",
    documentOf(
      (n) =>
        entries(5, (m) => ({
          json_schema: { allOf: entries(60, (k) => ({ pattern: `(?:a|b){90}${n} ${m} ${k}` })) },
        })),
      12,
    ),
  ],
  [
    "schemas",
    documentOf(() => entries(16, () => ({ json_schema: { allOf: Array(290).fill({ minLength: 1 }) } })), 1),
  ],
  ["checks", documentOf(() => entries(64, () => ({ contains: "a" })), 60)],
];

/** Twice the goal of 50 ms: code that runs for the first time is slower. */
const blockMsMax = 100;

/** Checks that end within the allowance, since each of them is cheap or bounded by itself. */
const affordable = new Set(["contains, marks", "equals, marks"]);

/** Expects that hostile checks are carried out in pieces, and stop at their allowance. */
export async function expectPieces(name: string, checks: object[], answer: string): Promise<void> {
  let reasons: string[] = [];
  await judgeOne(checks.slice(0, 1), fixedAnswer("q", answer.slice(0, 100)));
  const blockMs = await longestBlockMs(async () => {
    reasons = await judgeOne(checks, fixedAnswer("q", answer));
  });
  expect(blockMs).toBeLessThan(blockMsMax);
  expect(reasons).toHaveLength(checks.length);
  expect(reasons.includes(beyondCaseWork)).toBe(!affordable.has(name));
}

/** Expects that a hostile document is compiled in pieces, and that patterns beyond the allowance are refused with 400. */
export async function expectCompiledInPieces(name: string, document: object): Promise<void> {
  let problems: { path: string; message: string }[] = [];
  const blockMs = await longestBlockMs(async () => {
    try {
      await readSentEval({ format: "json", value: document });
    } catch (thrown) {
      const { kind, details } = toAppError(thrown);
      expect(kind).toBe("invalid");
      problems = details.problems ?? [];
    }
  });
  expect(blockMs).toBeLessThan(blockMsMax);
  if (!name.startsWith("patterns")) return expect(problems).toEqual([]);
  expect(problems).toEqual([
    {
      path: expect.stringMatching(/^spec\.cases\[\d+\]\.checks\[\d+\]\.regex$/),
      message: expect.stringContaining("goes beyond what all checks of one eval may take to compile"),
    },
  ]);
}
