import { and, eq, lte } from "drizzle-orm";
import type { Storage } from "../../../../storage/storage.ts";
import type { PlatformTables } from "../../tables.ts";
import { endWaitingRun } from "./end-waiting-run.ts";

const batchMax = 100;

/**
 * Ends runs without a decision in time with `error` and `approval_expired`, without a charge. Their cost counts like that of cancelled
 * runs; otherwise a model could be used for free by never deciding. Returns their number.
 */
export async function expireApprovals(storage: Storage<PlatformTables>, now: Date): Promise<number> {
  const { approvals } = storage.tables;
  let expired = 0;
  for (;;) {
    const due = await storage.read
      .select({ tenantId: approvals.tenantId, id: approvals.id, invocationId: approvals.invocationId })
      .from(approvals)
      .where(and(eq(approvals.status, "pending"), lte(approvals.expiresAt, now)))
      .limit(batchMax);
    for (const one of due) if (await expireOne(storage, one, now)) expired++;
    if (due.length < batchMax) return expired;
  }
}

function expireOne(
  { tables, transact }: Storage<PlatformTables>,
  { tenantId, id, invocationId }: { tenantId: string; id: string; invocationId: string },
  now: Date,
): Promise<boolean> {
  const { approvals } = tables;
  return transact(async (tx) => {
    const [expired] = await tx
      .update(approvals)
      .set({ status: "expired", decidedAt: now })
      .where(and(eq(approvals.tenantId, tenantId), eq(approvals.id, id), eq(approvals.status, "pending")))
      .returning({ id: approvals.id });
    if (expired === undefined) return false;
    const message = "The approval expired without a decision; the call was not carried out.";
    await endWaitingRun(
      tx,
      tables,
      { tenantId, invocationId },
      { errorCode: "approval_expired", message },
      now,
    );
    return true;
  });
}
