import type { CaseResult, EvalSummary } from "../../contracts/evals/eval-run.ts";
import { caseRates } from "../report/summarize.ts";

/** An eval that a version must pass; see `spec.release`. */
export interface Requirement {
  eval: string;
  min_score: number;
  no_regressions: boolean;
}

/** The part of a result that the gate reads. */
export type JudgedResult = Pick<CaseResult, "case" | "passed"> & {
  checks: readonly Pick<CaseResult["checks"][number], "kind" | "passed" | "reason">[];
};

/** A finished run of an eval. */
export interface JudgedRun {
  summary: Pick<EvalSummary, "ending" | "finished_runs" | "planned_runs" | "targets">;
  results: readonly JudgedResult[];
}

/** Most cases that a reason names. */
const namedMax = 10;

/**
 * Returns the reasons against a version by its run of a required eval, and by the run of the version in service if there is one. The score is
 * the pass rate, not an end of its interval: few cases could never reach a bound. A case regresses if most of its repetitions fail now and
 * did not before, so that one unlucky repetition is not a regression.
 */
export function judgeRequirement(
  required: Requirement,
  run: JudgedRun,
  before: Pick<JudgedRun, "results"> | undefined,
): string[] {
  const name = `eval ${required.eval}`;
  const { ending, finished_runs: finished, planned_runs: planned, targets } = run.summary;
  if (ending !== "complete") return [`${name} stopped after ${finished} of ${planned} runs`];
  const unreached = run.results.filter(couldNotRun);
  if (unreached.length > 0 && unreached.length === run.results.filter(({ passed }) => !passed).length) {
    return [`${name} could not ask the agent in ${named(unreached)}: ${reasonOf(unreached[0])}`];
  }
  const [target] = targets;
  const score = target?.pass_rate ?? 0;
  const [low, high] = target?.interval ?? [0, 0];
  const reasons: string[] = [];
  if (score < required.min_score) {
    const failed = run.results.filter(({ passed }) => !passed);
    reasons.push(
      `${name} scores ${percent(score)} (95 % interval ${percent(low)} to ${percent(high)}), below ${percent(required.min_score)}; failed: ${named(failed)}`,
    );
  }
  if (required.no_regressions && before !== undefined) {
    const rates = caseRates(run.results);
    const worse = [...caseRates(before.results)].flatMap(([id, rate]) => {
      const now = rates.get(id);
      return now !== undefined && rate >= 0.5 && now < 0.5 ? [{ case: id }] : [];
    });
    if (worse.length > 0) reasons.push(`${name} regresses from the version in service in ${named(worse)}`);
  }
  return reasons;
}

/** Returns true for a failure of the run itself, which says nothing about the answer. */
function couldNotRun({ checks }: JudgedResult): boolean {
  return checks.some(({ kind, passed, reason = "" }) => kind === "run" && !passed && isOutage(reason));
}

/** Codes of models that can't be reached, whatever the agent. */
const outages: ReadonlySet<string> = new Set([
  "no_provider_available",
  "upstream_failed",
  "onnx_unavailable",
]);

/** The reason of a failed run starts with the error's code. */
const isOutage = (reason: string) => outages.has(reason.split(":", 1)[0] ?? "");

function reasonOf(result: JudgedResult | undefined): string {
  return result?.checks.find(({ kind, passed }) => kind === "run" && !passed)?.reason ?? "unknown reason";
}

function named(results: readonly { case: string }[]): string {
  const ids = [...new Set(results.map((result) => result.case))];
  const more = ids.length > namedMax ? ` and ${ids.length - namedMax} more` : "";
  return `${ids.slice(0, namedMax).join(", ")}${more}`;
}

const percent = (share: number) => `${Math.round(share * 1000) / 10} %`;
