import type { CaseResult } from "../../contracts/evals/eval-run.ts";
import type { HostedEvalCalls } from "../../contracts/evals/hosted-eval-calls.ts";
import type { HostedEvalRun } from "../../contracts/evals/hosted-evals.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { paint } from "../terminal/paint.ts";
import type { Screen } from "../terminal/screen.ts";

/** What the runs of a service show besides the common figures. */
export interface ShownRuns<Run extends HostedEvalRun> {
  /** The version that was asked, in a few words. */
  versionOf(run: Run): string;
  /** What the run has cost, with its unit. */
  spentOf(run: Run): string;
}

/** Failed results that are listed. */
const listedMax = 20;

/** Prints a run and its failed cases. The exit code tells whether all cases passed. */
export async function reportRun<Run extends HostedEvalRun>(
  screen: Screen,
  evals: Pick<HostedEvalCalls, "listEvalResults">,
  { versionOf, spentOf }: ShownRuns<Run>,
  run: Run,
): Promise<ExitCode> {
  const { results, total } = await evals.listEvalResults(run.id, { passed: false, limit: listedMax });
  const isGood = run.ended_at === null || (run.status === "complete" && total === 0);
  if (screen.json) screen.document({ ...run, failed: results });
  else {
    const rate = run.pass_rate === null ? "" : `, pass rate ${percent(run.pass_rate)}`;
    const [low, high] = run.interval ?? [];
    const interval =
      low === undefined || high === undefined ? "" : ` (95 % interval ${percent(low)} to ${percent(high)})`;
    screen.print(paint("bold", run.eval), `  ${run.agent}, ${versionOf(run)}: ${run.status}`);
    screen.print(`${run.passed} of ${run.planned} passed${rate}${interval}`);
    for (const { result } of results) printFailure(screen, result);
    if (total > results.length)
      screen.print(`… and ${total - results.length} more; --json has their number.`);
    if (run.error !== undefined) screen.print(paint("red", run.error.error), `  ${run.error.message}`);
    if (run.simulated) screen.say(paint("yellow", "simulated:"), " no model was called");
    screen.say(paint("dim", `run ${run.id}, ${spentOf(run)}`));
  }
  return isGood ? exitCodes.ok : exitCodes.failed;
}

function printFailure(screen: Screen, { case: id, repeat, checks, turns }: CaseResult): void {
  screen.print(paint("red", "failed"), `  ${id}${repeat > 1 ? ` #${repeat}` : ""}`);
  for (const { check, turn, passed, informative, reason } of checks) {
    if (passed || informative) continue;
    screen.print(`  ${check}${turn === undefined ? "" : ` (turn ${turn})`}: ${reason ?? "failed"}`);
  }
  const { invocation_id: invocation, trace_id: trace } = turns.at(-1) ?? {};
  if (invocation !== undefined) screen.print(paint("dim", `  run ${invocation}`));
  else if (trace !== undefined) screen.print(paint("dim", `  trace ${trace}`));
}

const percent = (part: number) => `${(100 * part).toFixed(1)} %`;
