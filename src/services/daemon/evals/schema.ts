import type { EvalRunHead } from "../../../contracts/evals/eval-run.ts";
import { evalRunTables } from "../../../evals/hosted/tables.ts";
import type { Columns } from "../../../storage/tables/columns.ts";

/** Runs of the workspace's evals, and the results of these. */
export const evalTables = (columns: Columns) =>
  evalRunTables<EvalRunHead>(columns, {
    owner: "tenant",
    spent: "spent_usd_micros",
    budget: "budget_usd_micros",
  });
