import { and, asc, eq, lt } from "drizzle-orm";
import { deleteInPieces } from "../../../storage/delete-in-pieces.ts";
import { boundRow, statement } from "../../../storage/statement.ts";
import type { Query, Storage } from "../../../storage/storage.ts";
import { insertCallerRun } from "./caller-run-store.ts";
import { lockRun, removeSteps } from "./fence.ts";
import type { CallerRunRow, DurableRunTables, RunStepsRow } from "./schema.ts";

type Steps = Storage<DurableRunTables>;

/** A run of a tenant. */
export type RunKey = Pick<RunStepsRow, "tenant" | "runId">;

/** Each row stands for itself: its key decides alone whether it is stored. */
const alone = { isolation: "read committed" } as const;

/** Stores the rows whose places are free and the runs that begin, in one commit; returns the runs of the rows that are stored. */
export function insertSteps(
  { tables, transact }: Steps,
  rows: readonly RunStepsRow[],
  begun: readonly CallerRunRow[] = [],
): Promise<RunKey[]> {
  return transact(async (tx) => {
    // A claim: what the process before stored until now is seen after it, and later writes of that process are refused.
    for (const row of rows) if (row.steps === "") await lockRun(tx, tables, row);
    for (const row of begun) await insertCallerRun(tx, tables, row);
    const stored: RunKey[] = [];
    for (const row of rows) stored.push(...(await insertion(tx, tables).execute({ ...row })));
    return stored;
  }, alone);
}

const insertion = statement((tx: Query, { runSteps }: DurableRunTables) =>
  tx
    .insert(runSteps)
    .values(boundRow(runSteps))
    .onConflictDoNothing()
    .returning({ tenant: runSteps.tenant, runId: runSteps.runId })
    .prepare("daemon_insert_run_steps"),
);

/** Returns the rows of a run in order. */
export function readSteps(
  { tables: { runSteps }, read }: Steps,
  { tenant, runId }: RunKey,
): Promise<RunStepsRow[]> {
  return read
    .select()
    .from(runSteps)
    .where(and(eq(runSteps.tenant, tenant), eq(runSteps.runId, runId)))
    .orderBy(asc(runSteps.number));
}

/** Deletes the steps of runs whose ends are recorded. */
export async function deleteSteps({ tables, transact }: Steps, runs: readonly RunKey[]): Promise<void> {
  const byTenant = Map.groupBy(runs, ({ tenant }) => tenant);
  await transact(async (tx) => {
    for (const [tenant, alike] of byTenant) {
      const ids = alike.map(({ runId }) => runId);
      await removeSteps(tx, tables, tenant, ids);
    }
  }, alone);
}

/** Deletes steps that were written before `olderThan`, of all tenants. */
export async function pruneSteps(storage: Steps, olderThan: Date): Promise<void> {
  const { runSteps } = storage.tables;
  await deleteInPieces(storage, runSteps, lt(runSteps.writtenAt, olderThan));
}
