import { join } from "node:path";
import type { EvalComparison, EvalRun } from "../../contracts/evals/eval-run.ts";
import { compareRuns } from "../comparing/compare-runs.ts";
import { summarize } from "../report/summarize.ts";
import { RunStore } from "../running/run-store.ts";

/** Returns the stored runs of this data folder. */
export function evalRuns({ dataFolder }: { dataFolder: string }): RunStore {
  return new RunStore(join(dataFolder, "evals"));
}

/** Compares two runs case by case. */
export function compareEvals(before: EvalRun, after: EvalRun): EvalComparison {
  const side = ({ run, results }: EvalRun) => ({ head: run, results });
  return compareRuns(side(before), side(after));
}

/** Returns a stored run with its figures. */
export function readRun(store: RunStore, id: string, of?: string): EvalRun {
  const { head, results } = store.get(id, of);
  const planned = head.targets.length * head.cases * head.repeat;
  const endingOfRun = store.findEnd(head.id)?.summary.ending;
  const ending = endingOfRun ?? (results.length === planned ? "complete" : "interrupted");
  return { run: head, summary: summarize(head, results, ending), results };
}
