import type { CaseResult, SideOfChange } from "../../contracts/evals/eval-run.ts";
import { sideOf } from "./compare-runs.ts";

/** What one target answered to a case, over its repetitions. */
export interface GridCell extends SideOfChange {
  target: string;
  /** Number of the shown result in its run, from 1. */
  number: number;
}

/** A case with a cell for each target that has answered it. */
export interface GridRow {
  case: string;
  query: string;
  expected?: string;
  cells: GridCell[];
}

/** Arranges results as cases by targets, both in the order in which they were first asked. */
export function caseGrid(
  numbered: readonly { number: number; result: CaseResult }[],
  targets: readonly string[],
): GridRow[] {
  const numbers = new Map(numbered.map(({ number, result }) => [result, number]));
  const results = numbered.map(({ result }) => result);
  return [...Map.groupBy(results, (result) => result.case)].map(([id, ofCase]) => {
    const [first] = ofCase;
    const byTarget = Map.groupBy(ofCase, ({ target }) => target);
    return {
      case: id,
      query: first?.turns.at(-1)?.query ?? "",
      ...(first?.expected !== undefined && { expected: first.expected }),
      cells: targets.flatMap((target) => {
        const shown = sideOf(byTarget.get(target) ?? []);
        return shown === undefined ? [] : [{ target, ...shown.side, number: numbers.get(shown.result) ?? 0 }];
      }),
    };
  });
}
