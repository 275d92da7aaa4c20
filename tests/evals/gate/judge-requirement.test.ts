import { describe, expect, test } from "bun:test";
import type { CaseResult, EvalEnding, EvalRun, EvalRunHead } from "../../../src/contracts/evals/eval-run.ts";
import { judgeRequirement } from "../../../src/evals/gate/judge-requirement.ts";
import { summarize } from "../../../src/evals/report/summarize.ts";

const result = (id: string, passed: boolean, repeat = 1, error?: string): CaseResult => ({
  case: id,
  target: "agent",
  repeat,
  passed,
  checks: [
    error === undefined
      ? { check: "contains", kind: "contains", passed }
      : { check: "run", kind: "run", passed: false, reason: error },
  ],
  turns: [],
  steps: 1,
  tokens: 1,
  cost_usd: 0,
  latency_ms: 1,
});

function runOf(results: CaseResult[], ending: EvalEnding = "complete"): EvalRun {
  const cases = new Set(results.map((one) => one.case)).size;
  const head = { targets: ["agent"], cases, repeat: results.length / cases } as EvalRunHead;
  return { run: head, summary: summarize(head, results, ending), results };
}

const required = { eval: "e", min_score: 0.75, no_regressions: true };

describe("a requirement", () => {
  test("names the failed cases of a score below the bound, with its interval", () => {
    const run = runOf([result("a", true), result("b", false), result("c", false)]);
    expect(judgeRequirement(required, run, undefined)).toEqual([
      "eval e scores 33.3 % (95 % interval 6.1 % to 79.2 %), below 75 %; failed: b, c",
    ]);
  });

  test("counts a case as regressed only if most of its repetitions fail", () => {
    const before = runOf(["a", "b"].flatMap((id) => [1, 2, 3].map((n) => result(id, true, n))));
    const unlucky = runOf(
      ["a", "b"].flatMap((id) => [1, 2, 3].map((n) => result(id, n > 1 || id === "a", n))),
    );
    expect(judgeRequirement(required, unlucky, before)).toEqual([]);
    const worse = runOf(["a", "b"].flatMap((id) => [1, 2, 3].map((n) => result(id, n > 2 || id === "a", n))));
    expect(judgeRequirement({ ...required, min_score: 0.5 }, worse, before)).toEqual([
      "eval e regresses from the version in service in b",
    ]);
    expect(judgeRequirement({ ...required, min_score: 0.5, no_regressions: false }, worse, before)).toEqual(
      [],
    );
  });

  test("tells a model that can't be reached from a bad answer", () => {
    const cause = "upstream_failed: lab answered 503";
    const run = runOf([result("a", true), result("b", false, 1, cause)]);
    expect(judgeRequirement(required, run, undefined)).toEqual([
      `eval e could not ask the agent in b: ${cause}`,
    ]);
    const bad = runOf([result("a", false), result("b", false, 1, "guardrail_blocked: no")]);
    expect(judgeRequirement(required, bad, undefined)[0]).toContain("failed: a, b");
  });

  test("is not met by a run that stopped", () => {
    const run = runOf([result("a", true)], "budget");
    expect(judgeRequirement(required, run, undefined)[0]).toContain("stopped after 1 of");
  });
});
