import type {
  CaseChange,
  CaseResult,
  EvalComparison,
  EvalRunHead,
  SideOfChange,
} from "../../contracts/evals/eval-run.ts";
import { comparePairs } from "../statistics/paired-test.ts";

interface ComparedRun {
  head: EvalRunHead;
  results: readonly CaseResult[];
}

/** Order of changes in a comparison. */
const order = ["regressed", "failing", "improved", "added", "removed", "passing"] as const;

/**
 * Compares two runs case by case, regressions first. Targets are paired by name; two runs with one target each are paired whatever its name,
 * so that a model can be compared with another.
 */
export function compareRuns(before: ComparedRun, after: ComparedRun): EvalComparison {
  const isOneEach = before.head.targets.length === 1 && after.head.targets.length === 1;
  const keyOf = (result: CaseResult) => JSON.stringify([isOneEach ? "" : result.target, result.case]);
  const first = Map.groupBy(before.results, keyOf);
  const second = Map.groupBy(after.results, keyOf);
  const changes = [...new Set([...first.keys(), ...second.keys()])].map((key) =>
    changeOf(first.get(key) ?? [], second.get(key) ?? []),
  );
  const pairs = changes.flatMap(({ before: one, after: other }) =>
    one && other ? [[one.passed / one.of, other.passed / other.of] as const] : [],
  );
  const counts = Object.fromEntries(order.map((kind) => [kind, 0])) as EvalComparison["counts"];
  for (const { change } of changes) counts[change]++;
  return {
    before: before.head,
    after: after.head,
    counts,
    test: comparePairs(pairs),
    changes: changes.sort((a, b) => order.indexOf(a.change) - order.indexOf(b.change)),
  };
}

function changeOf(before: readonly CaseResult[], after: readonly CaseResult[]): CaseChange {
  const named = after[0] ?? before[0];
  if (named === undefined) throw new TypeError("A change has a result on one side.");
  const about = { case: named.case, target: named.target };
  const [one, other] = [sideOf(before)?.side, sideOf(after)?.side];
  if (one === undefined || other === undefined) {
    return other === undefined
      ? { ...about, change: "removed", ...(one && { before: one }) }
      : { ...about, change: "added", after: other };
  }
  const difference = other.passed / other.of - one.passed / one.of;
  const same = other.passed === other.of ? "passing" : "failing";
  return {
    ...about,
    change: difference < 0 ? "regressed" : difference > 0 ? "improved" : same,
    before: one,
    after: other,
  };
}

/** What repetitions of a case come to, and the one that is shown: the first that failed, or else the first. */
export function sideOf(
  results: readonly CaseResult[],
): { side: SideOfChange; result: CaseResult } | undefined {
  const result = results.find(({ passed }) => !passed) ?? results[0];
  if (result === undefined) return undefined;
  const last = result.turns.at(-1);
  const side = {
    passed: results.filter(({ passed }) => passed).length,
    of: results.length,
    response: last?.response ?? "",
    failed: result.checks.filter(({ passed, informative }) => !passed && informative !== true),
    ...(last?.trace_id !== undefined && { trace_id: last.trace_id }),
  };
  return { side, result };
}
