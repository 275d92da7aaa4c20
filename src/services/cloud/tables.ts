import { auditTables } from "../../control-plane/audit/audit-table.ts";
import type { Clock } from "../../kit/clock.ts";
import type { NewId } from "../../kit/id.ts";
import type { Storage } from "../../storage/storage.ts";
import { appendOnly } from "../../storage/tables/append-only.ts";
import type { Columns } from "../../storage/tables/columns.ts";
import { countBytes, storedBytesTables } from "../../storage/tables/counted-bytes.ts";
import { agentTables } from "./agents/schema.ts";
import { authTables } from "./auth/schema.ts";
import { evalTables } from "./evals/schema.ts";
import { keyTables } from "./keys/schema.ts";
import { orgTables } from "./orgs/schema.ts";
import { providerTables } from "./providers/schema.ts";
import { runTables } from "./runs/schema.ts";
import { usageTables } from "./usage/schema.ts";

/** Tables of the managed cloud. */
export const tables = (columns: Columns) => {
  const all = allTables(columns);
  appendOnly(all.audit);
  for (const [area, counted] of Object.entries({
    agents: [all.agents, all.keptGates],
    evals: [all.evals],
    eval_runs: [all.evalRuns, all.evalResults],
    usage: [all.agentUsage, all.usageCosts],
    providers: [all.providerKeys],
    keys: [all.apiKeys],
    members: [all.members],
    audit: [all.audit],
  }))
    for (const table of counted) countBytes(table, { owner: "org_id", area });
  return all;
};

const allTables = (columns: Columns) => ({
  ...authTables(columns),
  ...orgTables(columns),
  ...keyTables(columns),
  ...providerTables(columns),
  ...agentTables(columns),
  ...usageTables(columns),
  ...runTables(columns),
  ...evalTables(columns),
  ...auditTables(columns, {
    owner: "org_id",
    byOwner: "audit_org",
    ordered: ({ id, at, ownerId, ...rest }) => ({ id, at, ownerId, ...rest }),
  }),
  ...storedBytesTables(columns),
});

export type CloudTables = ReturnType<typeof tables>;
export type CloudStorage = Storage<CloudTables>;

/** Dependencies of code that reads and writes these tables. */
export interface CloudStoreDeps {
  storage: CloudStorage;
  clock: Clock;
  newId: NewId;
}
