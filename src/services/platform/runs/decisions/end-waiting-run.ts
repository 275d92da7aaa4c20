import { and, eq } from "drizzle-orm";
import type { Query } from "../../../../storage/storage.ts";
import { addToCounter, counterKeys } from "../../counters/credit-counters.ts";
import type { PlatformTables } from "../../tables.ts";
import { keepFailure } from "../idempotency/idempotency-keys.ts";
import { addParts, priceOf } from "../settlement/attribute-runs.ts";

/**
 * Ends a run that waits for a decision and can't resume, with `error` and without a charge. Its cost counts like that of a cancelled run.
 * Does nothing if the run no longer waits.
 */
export async function endWaitingRun(
  tx: Query,
  tables: PlatformTables,
  { tenantId, invocationId }: { tenantId: string; invocationId: string },
  failure: { errorCode: string; message: string },
  now: Date,
): Promise<void> {
  const { invocations } = tables;
  const [run] = await tx
    .update(invocations)
    .set({ status: "error", ...failure, endedAt: now, attributed: true })
    .where(
      and(
        eq(invocations.tenantId, tenantId),
        eq(invocations.id, invocationId),
        eq(invocations.status, "awaiting_approval"),
      ),
    )
    .returning();
  if (run === undefined) return;
  await keepFailure(tx, tables, run, now);
  const cancelledCostMicros = run.unchargedCostMicros;
  for (const key of counterKeys(tenantId, run.subscriptionId, run.month)) {
    await addToCounter(tx, tables, key, { cancelledCostMicros });
  }
  await addParts(tx, tables, run, await priceOf(tx, tables, run));
}
