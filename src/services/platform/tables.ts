import { auditTables } from "../../control-plane/audit/audit-table.ts";
import type { Clock } from "../../kit/clock.ts";
import type { NewId } from "../../kit/id.ts";
import type { Storage } from "../../storage/storage.ts";
import { appendOnly, fixedRows } from "../../storage/tables/append-only.ts";
import type { Columns } from "../../storage/tables/columns.ts";
import { countBytes, storedBytesTables } from "../../storage/tables/counted-bytes.ts";
import { tallyRows } from "../../storage/tables/tallied-rows.ts";
import { agentTables } from "./agents/schema.ts";
import { approvalTables } from "./approvals/schema.ts";
import { authTables } from "./auth/schema.ts";
import { billingTables } from "./billing/schema.ts";
import { connectionTables } from "./connections/schema.ts";
import { correctionTables } from "./corrections/schema.ts";
import { counterTables } from "./counters/schema.ts";
import { evalTables } from "./evals/schema.ts";
import { feedbackTables } from "./feedback/schema.ts";
import { grantTables } from "./grants/schema.ts";
import { invoiceTables } from "./invoices/schema.ts";
import { memberTables } from "./members/schema.ts";
import { noticeTables } from "./notices/schema.ts";
import { operatorKeyTables } from "./operator-keys/schema.ts";
import { planTables } from "./plans/schema.ts";
import { runTables } from "./runs/schema.ts";
import { subscriptionTables } from "./subscriptions/schema.ts";
import { tariffTables } from "./tariffs/schema.ts";
import { tenantTables } from "./tenants/schema.ts";
import { invocationTallies, usageTables } from "./usage/schema.ts";
import { workspaceTables } from "./workspace/schema.ts";

/** Tables of the platform. */
export const tables = (columns: Columns) => {
  const all = allTables(columns);
  for (const table of [
    all.tariffs,
    all.plans,
    all.usageEvents,
    all.voidedEvents,
    all.grants,
    all.adjustments,
    all.charges,
    all.invoices,
    all.audit,
  ])
    appendOnly(table);
  // Not append-only, because old versions are deleted.
  fixedRows(all.agentVersions);
  for (const [area, counted] of Object.entries({
    agents: [all.agents, all.agentVersions],
    runs: [all.invocations, all.runFeedback],
    answers: [all.idempotencyKeys],
    approvals: [all.approvals],
    evals: [all.evals],
    eval_runs: [all.evalRuns, all.evalResults],
    connections: [all.connections],
    usage_events: [all.usageEvents],
    workspace: [all.workspaceResources],
    keys: [all.apiKeys],
    audit: [all.audit],
  }))
    for (const table of counted) countBytes(table, { owner: "tenant_id", area });
  tallyRows(all.invocations, ...invocationTallies);
  return all;
};

const allTables = (columns: Columns) => ({
  ...authTables(columns),
  ...tenantTables(columns),
  ...memberTables(columns),
  ...agentTables(columns),
  ...runTables(columns),
  ...evalTables(columns),
  ...feedbackTables(columns),
  ...counterTables(columns),
  ...correctionTables(columns),
  ...operatorKeyTables(columns),
  ...grantTables(columns),
  ...invoiceTables(columns),
  ...noticeTables(columns),
  ...approvalTables(columns),
  ...connectionTables(columns),
  ...tariffTables(columns),
  ...planTables(columns),
  ...subscriptionTables(columns),
  ...billingTables(columns),
  ...auditTables(columns, { owner: "tenant_id", byOwner: "audit_tenant" }),
  ...workspaceTables(columns),
  ...usageTables(columns),
  ...storedBytesTables(columns),
});

export type PlatformTables = ReturnType<typeof tables>;
export type PlatformStorage = Storage<PlatformTables>;

/** Dependencies of code that reads and writes these tables. */
export interface StoreDeps {
  storage: PlatformStorage;
  clock: Clock;
  newId: NewId;
}
