import type {
  CaseResult,
  EvalEnding,
  EvalRunHead,
  EvalSummary,
  LabelAgreement,
  TargetSummary,
} from "../../contracts/evals/eval-run.ts";
import { comparePairs } from "../statistics/paired-test.ts";
import { wilsonInterval } from "../statistics/wilson.ts";

/** Figures of a run. */
export function summarize(
  { targets, cases, repeat }: Pick<EvalRunHead, "targets" | "cases" | "repeat">,
  results: readonly CaseResult[],
  ending: EvalEnding,
): EvalSummary {
  const [first] = targets;
  const ratesOfFirst = first === undefined ? new Map<string, number>() : caseRates(resultsOf(results, first));
  const labels = labelAgreement(results);
  return {
    targets: targets.map((target) => {
      const own = resultsOf(results, target);
      const rates = caseRates(own);
      const against =
        target === first ? undefined : comparePairs(pairsOf(ratesOfFirst, rates), targets.length - 1);
      return { ...summarizeTarget(target, own, rates), ...(against && { against_first: against }) };
    }),
    failed_runs: results.filter(({ passed }) => !passed).length,
    finished_runs: results.length,
    planned_runs: targets.length * cases * repeat,
    ending,
    spent_usd: spentBy(results),
    ...(labels && { labels }),
  };
}

/** Fraction of passed repetitions by case. */
export function caseRates(results: readonly Pick<CaseResult, "case" | "passed">[]): Map<string, number> {
  const byCase = Map.groupBy(results, (result) => result.case);
  return new Map(
    [...byCase].map(([id, runs]) => [id, runs.filter(({ passed }) => passed).length / runs.length]),
  );
}

/** Rates of the cases that both have. */
export function pairsOf(
  before: ReadonlyMap<string, number>,
  after: ReadonlyMap<string, number>,
): [number, number][] {
  return [...before].flatMap(([id, rate]) => {
    const other = after.get(id);
    return other === undefined ? [] : [[rate, other] satisfies [number, number]];
  });
}

function summarizeTarget(
  target: string,
  results: readonly CaseResult[],
  rates: ReadonlyMap<string, number>,
): TargetSummary {
  const total = [...rates.values()].reduce((sum, rate) => sum + rate, 0);
  const times = results.map(({ latency_ms: ms }) => ms).sort((a, b) => a - b);
  return {
    target,
    cases: rates.size,
    runs: results.length,
    passed: results.filter(({ passed }) => passed).length,
    pass_rate: rates.size === 0 ? 0 : total / rates.size,
    // Repetitions of a case are not independent, so cases are the trials.
    interval: wilsonInterval(total, rates.size),
    unstable: [...rates].flatMap(([id, rate]) => (rate > 0 && rate < 1 ? [id] : [])),
    tokens: results.reduce((sum, { tokens }) => sum + tokens, 0),
    cost_usd: spentBy(results),
    unpriced_runs: results.filter(({ cost_usd: cost }) => cost === null).length,
    latency_ms: { p50: quantile(times, 0.5), p95: quantile(times, 0.95) },
  };
}

/** Returns how often judges agree with labels, beyond chance (Cohen's kappa); undefined without labels. */
function labelAgreement(results: readonly CaseResult[]): LabelAgreement | undefined {
  const judged = results.flatMap(({ label, checks }) => {
    const verdicts = checks.filter(({ kind }) => kind === "judge");
    if (label === undefined || verdicts.length === 0) return [];
    return [{ person: label === "pass", judge: verdicts.every(({ passed }) => passed) }];
  });
  const votes = results.flatMap(({ checks }) => checks.flatMap(({ votes: cast }) => cast ?? []));
  const split = votes.filter(({ passed, of }) => passed > 0 && passed < of).length;
  if (judged.length === 0 && split === 0) return undefined;
  const agreed = judged.filter(({ person, judge }) => person === judge).length;
  const share = (of: "person" | "judge") => judged.filter((one) => one[of]).length / judged.length;
  const [person, judge] = [share("person"), share("judge")];
  const chance = person * judge + (1 - person) * (1 - judge);
  const kappa = judged.length === 0 || chance === 1 ? null : (agreed / judged.length - chance) / (1 - chance);
  return { labelled: judged.length, agreed, kappa, split_votes: split };
}

const resultsOf = (results: readonly CaseResult[], target: string) =>
  results.filter((result) => result.target === target);

const spentBy = (results: readonly CaseResult[]) =>
  results.reduce((sum, { cost_usd: cost }) => sum + (cost ?? 0), 0);

/** Nearest-rank quantile of ascending values; 0 for none. */
function quantile(values: readonly number[], part: number): number {
  return values[Math.max(0, Math.ceil(values.length * part) - 1)] ?? 0;
}
