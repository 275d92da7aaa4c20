import { and, eq } from "drizzle-orm";
import type { UsageCorrected } from "../../../../contracts/runtime/runs.ts";
import type { Storage } from "../../../../storage/storage.ts";
import type { PlatformTables } from "../../tables.ts";
import { priceRun } from "../../tariffs/price-run.ts";
import { ratesInForce } from "../../tariffs/rates-in-force.ts";
import { moveParts } from "./attribute-runs.ts";
import { changeCharge } from "./change-charge.ts";
import { mergeUsage, storedUsage } from "./merge-usage.ts";

/**
 * Corrects the usage of a run that has been settled with an estimate, in one transaction: its record, its charge, which is still at most the
 * hold, and the counters of its month. The answer that a key repeats stays as it was given. Does nothing for a run that has not ended or
 * that waits, whose usage is settled later.
 */
export function correctInvocation(
  storage: Storage<PlatformTables>,
  { tenantId, invocationId }: { tenantId: string; invocationId: string },
  differences: UsageCorrected["usage"],
  now: Date,
): Promise<void> {
  const { tables } = storage;
  const { invocations } = tables;
  return storage.transact(async (tx) => {
    const ofRun = and(eq(invocations.tenantId, tenantId), eq(invocations.id, invocationId));
    // Locks the row.
    const [run] = await tx.update(invocations).set({ tenantId }).where(ofRun).returning();
    if (run === undefined || run.status === "in_progress") return;
    const usage = mergeUsage(run, differences).map((line) => ({
      ...line,
      tokens_in: Math.max(0, line.tokens_in),
      tokens_out: Math.max(0, line.tokens_out),
      tokens_cached: Math.max(0, line.tokens_cached),
    }));
    const price = priceRun(usage, await ratesInForce(tx, tables, usage, run.admittedAt), 0);
    const isCharged = run.status === "ok" || run.chargedMicros > 0;
    const chargedMicros = isCharged ? Math.min(price.creditsMicros, run.heldMicros) : 0;
    const unchargedCostMicros = run.unchargedCostMicros > 0 ? price.lossMicros : 0;
    const corrected = {
      chargedMicros,
      unchargedCostMicros,
      overrunMicros: isCharged ? Math.max(0, price.creditsMicros - run.heldMicros) : 0,
      providerCostMicros: price.providerCostMicros,
      costUnknown: price.costUnknown,
      ...storedUsage(usage),
    };
    await tx.update(invocations).set(corrected).where(ofRun);
    const isCounted = run.status !== "awaiting_approval";
    await changeCharge(tx, tables, run, {
      chargedMicros: chargedMicros - run.chargedMicros,
      cancelledCostMicros: isCounted ? unchargedCostMicros - run.unchargedCostMicros : 0,
      now,
    });
    await moveParts(tx, tables, run, { ...run, ...corrected }, price);
  });
}
