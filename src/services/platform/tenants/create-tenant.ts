import { and, count, eq, isNull } from "drizzle-orm";
import type { Tenant, TenantInput } from "../../../contracts/platform/tenants.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { Person } from "../auth/find-actor.ts";
import { monthOf } from "../billing/utc-calendar.ts";
import type { PlatformDeps } from "../deps.ts";
import { addToCounter } from "../runs/credit-counters.ts";
import { newCrName } from "./cr-name.ts";

/** Tenants that one person may have. */
const tenantsMax = 3;

/** Makes a tenant of the person's; 409 `tenant_limit_reached` when they have as many as they may. */
export async function createTenant(
  deps: PlatformDeps,
  { userId }: Person,
  input: TenantInput,
): Promise<Tenant> {
  const { storage, clock, newId } = deps;
  const { tenants } = storage.tables;
  const displayName = input.displayName.trim();
  const tenant = { id: newId(), crName: newCrName(displayName), displayName };
  await storage.transact(async (tx) => {
    const [{ owned } = { owned: 0 }] = await tx
      .select({ owned: count() })
      .from(tenants)
      .where(and(eq(tenants.userId, userId), isNull(tenants.deletedAt)));
    if (owned >= tenantsMax) {
      throw new AppError("conflict", "tenant_limit_reached", `A person may have ${tenantsMax} tenants.`);
    }
    const createdAt = clock.now();
    await tx.insert(tenants).values({ ...tenant, userId, createdAt, deletedAt: null });
    // Its counter is there before its first runs, which then only wait for each other.
    await addToCounter(tx, storage.tables, {
      tenantId: tenant.id,
      scope: "tenant",
      month: monthOf(createdAt),
    });
  });
  return tenant;
}
