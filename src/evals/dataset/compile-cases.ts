import type { Problem } from "../../kit/app-error.ts";
import { type EvalCase, type EvalManifest, type EvalStub, idsOf } from "../../manifest/eval/eval.ts";
import type { Check, CheckDefaults } from "../checks/check.ts";
import { compileChecks } from "../checks/compile-checks.ts";

/** A case that can run. */
export interface LoadedCase {
  id: string;
  turns: { query: string; context: Record<string, unknown>; checks: readonly Check[] }[];
  /** Checks of the eval and of the case. */
  checks: readonly Check[];
  expected?: string | undefined;
  answer?: string | undefined;
  label?: "pass" | "fail" | undefined;
  tags: readonly string[];
  /** Stubs of the case, then those of the eval. */
  stubs: readonly EvalStub[];
}

/** Compiles the checks of an eval's cases; adds the problems of those that can't run. */
export function compileCases(
  { spec }: EvalManifest,
  written: readonly EvalCase[],
  defaults: CheckDefaults,
  problems: Problem[],
): LoadedCase[] {
  const shared = compileChecks(spec.checks, "spec.checks", defaults, problems);
  const ids = idsOf(written);
  return written.map((one, index) => {
    const at = `spec.cases[${index}]`;
    const own = compileChecks(one.checks, `${at}.checks`, defaults, problems);
    const turns = one.turns ?? [{ query: one.query ?? "", context: one.context, checks: [] }];
    return {
      id: ids[index] ?? "",
      turns: turns.map((turn, number) => ({
        query: turn.query,
        context: turn.context ?? one.context ?? {},
        checks: compileChecks(turn.checks, `${at}.turns[${number}].checks`, defaults, problems),
      })),
      checks: [...shared, ...own],
      expected: one.expected,
      answer: one.answer,
      label: one.label,
      tags: one.tags,
      stubs: [...one.stubs, ...spec.tools.stubs],
    };
  });
}

/** Problems that only compiling finds, such as a pattern that can't be matched in linear time; for `argosy validate`. */
export function evalProblems(manifest: EvalManifest): Problem[] {
  const { spec } = manifest;
  const problems: Problem[] = [];
  const { embedder, judge } = spec;
  compileCases(manifest, typeof spec.cases === "string" ? [] : spec.cases, { embedder, judge }, problems);
  return problems;
}
