import { and, eq, gte, isNull, or } from "drizzle-orm";
import type { Tenant, TenantInput } from "../../../contracts/platform/tenants.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { Person } from "../auth/find-actor.ts";
import { endOfMonth, monthOf, startOfMonth } from "../billing/utc-calendar.ts";
import type { PlatformDeps } from "../deps.ts";
import { addToCounter } from "../runs/credit-counters.ts";
import { newCrName } from "./cr-name.ts";

/**
 * Maximum number of tenants of one person in a UTC month. A deleted tenant counts until its month ends. Each tenant begins with a month's
 * credits, which could otherwise be renewed by deleting and creating tenants.
 */
const tenantsMax = 3;

/** Creates a tenant for the person. Throws 409 `tenant_limit_reached` if they have reached the limit for this month. */
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
    const createdAt = clock.now();
    const month = monthOf(createdAt);
    const isOfMonth = or(isNull(tenants.deletedAt), gte(tenants.deletedAt, startOfMonth(month)));
    const counted = await tx
      .select({ deletedAt: tenants.deletedAt })
      .from(tenants)
      .where(and(eq(tenants.userId, userId), isOfMonth));
    if (counted.length >= tenantsMax) {
      const live = counted.filter(({ deletedAt }) => deletedAt === null).length;
      throw tooManyTenants({ live, deleted: counted.length - live }, createdAt, endOfMonth(month));
    }
    await tx.insert(tenants).values({ ...tenant, userId, createdAt, deletedAt: null });
    // The counter exists before the first runs, so these only wait for each other's lock.
    await addToCounter(tx, storage.tables, {
      tenantId: tenant.id,
      scope: "tenant",
      month,
    });
  });
  return tenant;
}

function tooManyTenants(had: { live: number; deleted: number }, now: Date, next: Date): AppError {
  const { live, deleted } = had;
  const count =
    deleted === 0
      ? `You have ${live} tenants`
      : `You have ${live} tenants and deleted ${deleted} in this month, which count until it ends`;
  const from = `from ${next.toISOString().slice(0, 10)} (UTC)`;
  const hint =
    live < tenantsMax ? `You can create a tenant ${from}.` : `Delete a tenant, then create another ${from}.`;
  return new AppError(
    "conflict",
    "tenant_limit_reached",
    `${count}; a person may have ${tenantsMax} in a month.`,
    {
      details: { hint, retryAfterSeconds: (next.getTime() - now.getTime()) / 1000 },
    },
  );
}
