import { costText, nearestMicros } from "../../contracts/amounts.ts";
import type { CaseResult, EvalRun, EvalSummary } from "../../contracts/evals/eval-run.ts";
import { paint } from "../terminal/paint.ts";
import type { Screen } from "../terminal/screen.ts";
import { counted } from "../terminal/table.ts";

/** Failed results that are listed; reports have all. */
const listedMax = 20;

const endings: Readonly<Record<Exclude<EvalSummary["ending"], "complete">, string>> = {
  budget: "the budget is used up. Raise --budget and continue with --resume.",
  unpriced:
    "the cost of a case is unknown, so the budget can't be kept. Write the model's price into prices.yaml, or run without a budget.",
  interrupted: "it was interrupted. Continue with --resume.",
};

/** Prints the figures of a run, then the failed cases with their reasons. */
export function printRun(screen: Screen, { run, summary, results }: EvalRun): void {
  screen.print(
    paint("bold", run.eval),
    `  ${run.agent}, ${counted(run.cases, "case")}${run.mode === "live" ? "" : `, ${run.mode}`}`,
  );
  screen.table(
    ["TARGET", "PASS RATE", "95 % INTERVAL", "FAILED", "TOKENS", "COST", "P50"],
    summary.targets.map((one) => [
      one.target,
      percent(one.pass_rate),
      `${percent(one.interval[0])} to ${percent(one.interval[1])}`,
      `${one.runs - one.passed} of ${one.runs}`,
      String(one.tokens),
      costText({ micros: nearestMicros(one.cost_usd), unknown: one.unpriced_runs }),
      `${one.latency_ms.p50} ms`,
    ]),
  );
  const failed = results.filter(({ passed }) => !passed);
  for (const result of failed.slice(0, listedMax))
    printFailure(screen, result, run.targets.length > 1, run.repeat > 1);
  if (failed.length > listedMax)
    screen.print(`… and ${failed.length - listedMax} more; --html writes them all.`);
  for (const { target, unstable, against_first: against } of summary.targets) {
    if (unstable.length > 0)
      screen.print(
        `${counted(unstable.length, "case")} of ${target} passed only sometimes: ${unstable.slice(0, 5).join(", ")}`,
      );
    if (against !== undefined) screen.print(`${target} against ${run.targets[0]}: ${against.note}`);
  }
  if (summary.labels !== undefined) {
    const { agreed, labelled, kappa, split_votes: split } = summary.labels;
    const beyondChance = kappa === null ? "" : ` (kappa ${kappa.toFixed(2)})`;
    screen.print(
      `Judges agree with people in ${agreed} of ${labelled} labelled results${beyondChance}; ${counted(split, "split vote")}.`,
    );
  }
  if (summary.ending !== "complete") {
    const { finished_runs: done, planned_runs: planned } = summary;
    screen.print(paint("yellow", "not complete:"), ` ${done} of ${planned} runs; ${endings[summary.ending]}`);
  }
  if (results.some(({ simulated }) => simulated))
    screen.say(paint("yellow", "simulated:"), " no model was called");
  screen.say(paint("dim", `run ${run.id}`));
}

function printFailure(screen: Screen, result: CaseResult, hasTargets: boolean, hasRepeats: boolean): void {
  const of = hasTargets ? ` (${result.target})` : "";
  screen.print(paint("red", "failed"), `  ${result.case}${hasRepeats ? ` #${result.repeat}` : ""}${of}`);
  for (const { check, turn, passed, informative, reason } of result.checks) {
    if (passed || informative) continue;
    screen.print(`  ${check}${turn === undefined ? "" : ` (turn ${turn})`}: ${reason ?? "failed"}`);
  }
  const trace = result.turns.at(-1)?.trace_id;
  if (trace !== undefined) screen.print(paint("dim", `  trace ${trace}`));
}

const percent = (part: number) => `${(100 * part).toFixed(1)} %`;
