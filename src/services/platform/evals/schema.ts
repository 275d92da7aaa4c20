import { hostedEvalTables } from "../../../evals/hosted/tables.ts";
import type { Columns } from "../../../storage/tables/columns.ts";

/** The agent of a run. */
export interface TenantEvalSubject {
  /** Null if there was no agent with the name. */
  agentId: string | null;
  /** Null for a spec that was sent with the run. */
  version: number | null;
  subscriptionId: string | null;
}

/** Tenants' evals, their runs and the results of these. */
export const evalTables = (columns: Columns) =>
  hostedEvalTables<TenantEvalSubject>(columns, {
    owner: "tenant_id",
    spent: "charged_micros",
    budget: "budget_micros",
  });
