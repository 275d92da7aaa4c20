import { and, eq, isNull } from "drizzle-orm";
import { dayOf } from "../../../kit/utc-calendar.ts";
import type { Person } from "../auth/find-actor.ts";
import { activeAt } from "../subscriptions/schema.ts";
import type { StoreDeps } from "../tables.ts";
import { auditForeign, getOwnTenant } from "./own-tenant.ts";

/** Deletes what the runtime keeps of a deleted tenant and its agents. A failure is retried by the sweeps. */
export type ForgetTenant = (
  tenantId: string,
  agents: readonly { id: string; name: string }[],
) => Promise<unknown>;

/**
 * Retires a tenant: revokes its keys, retires its agents, and cancels its subscriptions with today as the last day. Its history and bills
 * stay.
 */
export async function deleteTenant(
  deps: StoreDeps,
  forget: ForgetTenant,
  person: Person,
  tenantId: string,
): Promise<void> {
  const { storage, clock } = deps;
  const { tables } = storage;
  const { tenants, apiKeys, agents, subscriptions } = tables;
  const retired = await storage.transact(async (tx) => {
    const tenant = await getOwnTenant(tx, tables, person, tenantId, "tenantDeletion");
    const now = clock.now();
    await tx.update(tenants).set({ deletedAt: now }).where(eq(tenants.id, tenantId));
    await tx
      .update(apiKeys)
      .set({ revokedAt: now })
      .where(and(eq(apiKeys.tenantId, tenantId), isNull(apiKeys.revokedAt)));
    await tx
      .update(subscriptions)
      .set({ cancelledAt: now, lastDay: dayOf(now) })
      .where(and(eq(subscriptions.tenantId, tenantId), activeAt(tables, now)));
    await auditForeign(tx, deps, person, tenant, { action: "tenant.delete", subject: tenantId });
    return tx
      .update(agents)
      .set({ deletedAt: now })
      .where(and(eq(agents.tenantId, tenantId), isNull(agents.deletedAt)))
      .returning({ id: agents.id, name: agents.name });
  });
  await forget(tenantId, retired);
}
