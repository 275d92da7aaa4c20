import type { Problem } from "../../kit/app-error.ts";
import { atOnce, type Work } from "../../kit/concurrency/others-turn.ts";
import { type EvalCase, type EvalManifest, type EvalStub, idsOf } from "../../manifest/eval/eval.ts";
import type { Check, CheckDefaults } from "../checks/check.ts";
import { compileChecks } from "../checks/compile-checks.ts";
import { createDocumentAllowance } from "../checks/document-allowance.ts";

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

/** Compiles the checks of an eval's cases, within one allowance; adds the problems of those that can't run. */
export function* compileCases(
  { spec }: EvalManifest,
  written: readonly EvalCase[],
  defaults: CheckDefaults,
  problems: Problem[],
): Work<LoadedCase[]> {
  const compiling = { defaults, problems, allowance: createDocumentAllowance() };
  const shared = yield* compileChecks(spec.checks, "spec.checks", compiling);
  const ids = idsOf(written);
  const cases: LoadedCase[] = [];
  for (const [index, one] of written.entries()) {
    const at = `spec.cases[${index}]`;
    const own = yield* compileChecks(one.checks, `${at}.checks`, compiling);
    const turns: LoadedCase["turns"] = [];
    for (const [number, turn] of (one.turns ?? [turnOf(one)]).entries()) {
      turns.push({
        query: turn.query,
        context: turn.context ?? one.context ?? {},
        checks: yield* compileChecks(turn.checks, `${at}.turns[${number}].checks`, compiling),
      });
    }
    cases.push({
      id: ids[index] ?? "",
      turns,
      checks: [...shared, ...own],
      expected: one.expected,
      answer: one.answer,
      label: one.label,
      tags: one.tags,
      stubs: [...one.stubs, ...spec.tools.stubs],
    });
  }
  return cases;
}

/** The only turn of a case with one question. */
const turnOf = ({ query = "", context }: EvalCase) => ({ query, context, checks: [] });

/** Problems that only compiling finds, such as a pattern that can't be matched in linear time; for `argosy validate`. */
export function evalProblems(manifest: EvalManifest): Problem[] {
  const { cases } = manifest.spec;
  return casesProblems(manifest, typeof cases === "string" ? [] : cases);
}

/** The same for cases in a file of their own. */
export function casesProblems(manifest: EvalManifest, written: readonly EvalCase[]): Problem[] {
  const problems: Problem[] = [];
  const { embedder, judge } = manifest.spec;
  atOnce(compileCases(manifest, written, { embedder, judge }, problems));
  return problems;
}
