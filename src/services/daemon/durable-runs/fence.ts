import { and, eq, gte, sql } from "drizzle-orm";
import type { RunFence } from "../../../engine/memory/conversation.ts";
import { isPostgres } from "../../../storage/json-rows.ts";
import { equalsBound, statement } from "../../../storage/statement.ts";
import type { Query } from "../../../storage/storage.ts";
import type { DurableRunTables } from "./schema.ts";
import type { RunKey } from "./store.ts";
import { takenOver } from "./taken-over.ts";

/*
 * A process that was stopped for a while does not know that another one continues its run. What it then stores of the run is refused in
 * the commit that would store it. The process that takes a run over writes its claim under the same lock: it either sees what the first one
 * stored, or the first one stores nothing.
 *
 * A SQLite file has one process, whose end frees it, so there is nobody to refuse.
 */

/** Admits one process at a time to the writes of a run, until `tx` ends. */
export async function lockRun(
  tx: Query,
  { runSteps }: DurableRunTables,
  { tenant, runId }: RunKey,
): Promise<void> {
  if (isPostgres(runSteps))
    await tx
      .select({ locked: sql`pg_advisory_xact_lock(hashtextextended(${`run ${tenant} ${runId}`}, 0))` })
      .from(sql`(select 1) as one`);
}

/** Throws `run_taken_over` (409) if another process has continued the run since this one began or continued it. */
export async function requireOwnRun(
  tx: Query,
  tables: DurableRunTables,
  { tenant, runId, from }: RunFence,
): Promise<void> {
  const { runSteps } = tables;
  if (!isPostgres(runSteps)) return;
  await lockRun(tx, tables, { tenant, runId });
  const [claim] = await tx
    .select({ number: runSteps.number })
    .from(runSteps)
    .where(
      and(
        eq(runSteps.tenant, tenant),
        eq(runSteps.runId, runId),
        gte(runSteps.number, from),
        eq(runSteps.steps, ""),
      ),
    )
    .limit(1);
  if (claim !== undefined) throw takenOver();
}

/** Deletes the steps of runs that have ended. Claims stay until they are pruned: by them, a process that was stopped meanwhile is refused. */
export async function removeSteps(
  tx: Query,
  tables: DurableRunTables,
  tenant: string,
  runIds: readonly string[],
): Promise<void> {
  for (const runId of runIds) await removal(tx, tables).execute({ tenant, runId });
}

const removal = statement((tx: Query, { runSteps }: DurableRunTables) =>
  tx
    .delete(runSteps)
    .where(
      and(
        equalsBound(runSteps.tenant, "tenant"),
        equalsBound(runSteps.runId, "runId"),
        sql`${runSteps.steps} <> ''`,
      ),
    )
    .prepare("daemon_remove_run_steps"),
);
