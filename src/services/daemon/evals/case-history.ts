import type { EvalCaseHistory } from "../../../contracts/daemon/evals/eval-runs.ts";
import { caseGrid } from "../../../evals/comparing/case-grid.ts";
import { othersTurn } from "../../../kit/concurrency/others-turn.ts";
import type { EvalRuns } from "./eval-runs.ts";
import { presentCell } from "./present-run.ts";

/** Newest runs of an eval that are read for the history of a case. */
const runsRead = 50;

/** Returns what was answered to a case, run by run. Reads one run at a time, and others get their turn in between. */
export async function readCaseHistory(runs: EvalRuns, name: string, id: string): Promise<EvalCaseHistory> {
  const asked: EvalCaseHistory["runs"] = [];
  for (const run of await runs.list({ eval: name, limit: runsRead })) {
    const { results } = await runs.results(run.id);
    const numbered = caseGrid(results, run.targets).find((row) => row.case === id);
    if (numbered !== undefined) asked.push({ run, cells: numbered.cells.map(presentCell) });
    await othersTurn();
  }
  return { case: id, runs: asked };
}
