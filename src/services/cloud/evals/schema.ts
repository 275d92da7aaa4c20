import { hostedEvalTables } from "../../../evals/hosted/tables.ts";
import type { Columns } from "../../../storage/tables/columns.ts";

/** The agent of a run. */
export interface OrgEvalSubject {
  /** Providers of its models, whose keys the runs need. */
  providers: string[];
}

/** Orgs' evals, their runs and the results of these. */
export const evalTables = (columns: Columns) =>
  hostedEvalTables<OrgEvalSubject>(columns, { owner: "org_id", spent: "tokens", budget: "budget_tokens" });
