import { and, eq, isNull } from "drizzle-orm";
import type { Person } from "../auth/find-actor.ts";
import { dayOf } from "../billing/utc-calendar.ts";
import type { PlatformDeps } from "../deps.ts";
import { getOwnTenant } from "./own-tenant.ts";

/**
 * Retires a tenant: its keys stop validating, its agents are retired, its subscriptions are cancelled with today as their last day.
 * Its history and its bills stay.
 */
export async function deleteTenant(
  { storage, clock }: PlatformDeps,
  person: Person,
  tenantId: string,
): Promise<void> {
  const { tables } = storage;
  const { tenants, apiKeys, agents, subscriptions } = tables;
  await storage.transact(async (tx) => {
    await getOwnTenant(tx, tables, person, tenantId);
    const now = clock.now();
    await tx.update(tenants).set({ deletedAt: now }).where(eq(tenants.id, tenantId));
    await tx
      .update(apiKeys)
      .set({ revokedAt: now })
      .where(and(eq(apiKeys.tenantId, tenantId), isNull(apiKeys.revokedAt)));
    await tx
      .update(agents)
      .set({ deletedAt: now })
      .where(and(eq(agents.tenantId, tenantId), isNull(agents.deletedAt)));
    await tx
      .update(subscriptions)
      .set({ cancelledAt: now, lastDay: dayOf(now) })
      .where(and(eq(subscriptions.tenantId, tenantId), isNull(subscriptions.cancelledAt)));
  });
}
