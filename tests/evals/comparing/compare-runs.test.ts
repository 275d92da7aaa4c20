import { expect, test } from "bun:test";
import type { CaseResult, EvalRun, EvalRunHead } from "../../../src/contracts/evals/eval-run.ts";
import { compareRuns } from "../../../src/evals/comparing/compare-runs.ts";
import { htmlReport } from "../../../src/evals/report/html.ts";
import { junitReport } from "../../../src/evals/report/junit.ts";
import { summarize } from "../../../src/evals/report/summarize.ts";

const head = (targets: string[], more: Partial<EvalRunHead> = {}): EvalRunHead => ({
  id: "20260101T000000Z-e-000000",
  eval: "e",
  file: "e.eval.yaml",
  agent: "a",
  agent_checksum: "",
  argosy: "1",
  started_at: "2026-01-01T00:00:00.000Z",
  mode: "live",
  digest: "",
  targets,
  cases: 3,
  repeat: 1,
  ...more,
});

const result = (id: string, passed: boolean, more: Partial<CaseResult> = {}): CaseResult => ({
  case: id,
  target: "agent",
  repeat: 1,
  passed,
  checks: [{ check: "contains", kind: "contains", passed, ...(!passed && { reason: "it is not there" }) }],
  turns: [{ query: `ask ${id}`, response: passed ? "good" : "bad", calls: [] }],
  steps: 1,
  tokens: 10,
  cost_usd: 0.01,
  latency_ms: 5,
  ...more,
});

test("pairs cases and lists regressions first", () => {
  const before = {
    head: head(["agent"]),
    results: [
      result("a", true),
      result("b", true),
      result("c", false),
      result("d", false),
      result("old", true),
    ],
  };
  const after = {
    head: head(["agent"]),
    results: [
      result("a", true),
      result("b", false),
      result("c", true),
      result("d", false),
      result("new", true),
    ],
  };
  const { changes, counts, test: paired } = compareRuns(before, after);
  expect(changes.map((change) => [change.case, change.change])).toEqual([
    ["b", "regressed"],
    ["d", "failing"],
    ["c", "improved"],
    ["new", "added"],
    ["old", "removed"],
    ["a", "passing"],
  ]);
  expect(counts).toEqual({ regressed: 1, failing: 1, improved: 1, added: 1, removed: 1, passing: 1 });
  expect(changes[0]).toMatchObject({
    before: { response: "good" },
    after: { response: "bad", failed: [{ reason: "it is not there" }] },
  });
  expect([paired.better, paired.worse]).toEqual([1, 1]);
});

test("pairs single targets by any names, and several by name", () => {
  const one = (target: string) => ({ head: head([target]), results: [result("a", true, { target })] });
  expect(compareRuns(one("x/old"), one("x/new")).counts).toMatchObject({ passing: 1, added: 0 });
  const two = {
    head: head(["x/old", "x/new"]),
    results: [result("a", true, { target: "x/old" }), result("a", false, { target: "x/new" })],
  };
  expect(compareRuns(one("x/old"), two).counts).toMatchObject({ passing: 1, added: 1 });
});

test("a case that passes less often has regressed", () => {
  const runs = (passes: boolean[]) => ({
    head: head(["agent"], { repeat: 3 }),
    results: passes.map((passed, index) => result("a", passed, { repeat: index + 1 })),
  });
  const { changes } = compareRuns(runs([true, true, true]), runs([true, false, true]));
  expect(changes).toMatchObject([
    { change: "regressed", before: { passed: 3, of: 3 }, after: { passed: 2, of: 3 } },
  ]);
});

test("the summary has rates over cases, unstable cases, the paired test and unpriced runs", () => {
  const results = [
    result("a", true),
    result("a", false, { repeat: 2 }),
    result("b", true),
    result("b", true, { repeat: 2, cost_usd: null }),
    result("a", true, { target: "m" }),
    result("b", false, { target: "m" }),
  ];
  const { targets, failed_runs: failed } = summarize(
    head(["agent", "m"], { cases: 2, repeat: 2 }),
    results,
    "interrupted",
  );
  expect(targets[0]).toMatchObject({
    cases: 2,
    runs: 4,
    passed: 3,
    pass_rate: 0.75,
    unstable: ["a"],
    unpriced_runs: 1,
    tokens: 40,
  });
  expect(targets[0]?.cost_usd).toBeCloseTo(0.03);
  expect(targets[1]?.against_first).toMatchObject({ better: 1, worse: 1, p_value: 1 });
  expect(failed).toBe(2);
});

test("the agreement of judges with people is beyond chance only if it is", () => {
  const judged = (id: string, label: "pass" | "fail", passed: boolean, votes = { passed: 1, of: 1 }) =>
    result(id, passed, { label, checks: [{ check: "judge", kind: "judge", passed, votes }] });
  const labelled = [
    judged("a", "pass", true),
    judged("b", "pass", true),
    judged("c", "fail", false),
    judged("d", "fail", true, { passed: 2, of: 3 }),
  ];
  const { labels } = summarize(head(["agent"]), labelled, "complete");
  // Observed 3/4, by chance 1/2 · 3/4 + 1/2 · 1/4 = 1/2.
  expect(labels).toEqual({ labelled: 4, agreed: 3, kappa: 0.5, split_votes: 1 });
});

const runOf = (results: CaseResult[]): EvalRun => {
  const run = head(["agent"]);
  return { run, results, summary: summarize(run, results, "complete") };
};

test("JUnit has the failures, escaped", () => {
  const hostile = result('a"<b>&\u0000', false, {
    turns: [{ query: "q", response: "]]></failure>\u001b", calls: [] }],
  });
  const text = junitReport([runOf([result("good", true), hostile])]);
  expect(text).toContain('tests="2" failures="1"');
  expect(text).toContain('name="a&quot;&lt;b&gt;&amp;\ufffd"');
  expect(text).toContain("]]&gt;&lt;/failure&gt;\ufffd");
  expect(text).not.toContain("\u0000");
});

test("the page holds results as data only and loads nothing", () => {
  const text = htmlReport([
    runOf([
      result("a", false, {
        turns: [
          {
            query: "<img src=x onerror=alert(1)>",
            response: "</script><script>alert(1)</script>",
            calls: [],
          },
        ],
      }),
    ]),
  ]);
  expect(text.match(/<script/g)).toHaveLength(2);
  expect(text).not.toContain("<img");
  expect(text).not.toMatch(/\b(?:src|href)="/);
  expect(text).toContain("default-src 'none'");
});
