import { and, eq, sql } from "drizzle-orm";
import type { TenantRunDeps } from "../deps.ts";

/**
 * Leaves a durable run that this process performs to whichever process continues it first. If that can't be stored, they wait for the end of
 * this process.
 */
export async function handOver(
  { storage, owner, log }: Pick<TenantRunDeps, "storage" | "owner" | "log">,
  { tenantId, invocationId }: { tenantId: string; invocationId: string },
): Promise<void> {
  const { invocations } = storage.tables;
  const isOwn = and(
    eq(invocations.tenantId, tenantId),
    eq(invocations.id, invocationId),
    eq(invocations.owner, owner),
    sql`${invocations.status} = 'in_progress'`,
  );
  try {
    await storage.transact((tx) => tx.update(invocations).set({ owner: null }).where(isOwn), {
      isolation: "read committed",
    });
  } catch (err) {
    log.warn("run.not_handed_over", { invocation_id: invocationId, err });
  }
}
