import { randomBytes } from "node:crypto";
import { and, eq, gte, isNull, or } from "drizzle-orm";
import type { Tenant, TenantInput } from "../../../contracts/platform/tenants.ts";
import { AppError } from "../../../kit/app-error.ts";
import { normalized } from "../../../kit/text/normalize.ts";
import { endOfMonth, monthOf, startOfMonth } from "../../../kit/utc-calendar.ts";
import type { Person } from "../auth/find-actor.ts";
import { addToCounter } from "../counters/credit-counters.ts";
import type { StoreDeps } from "../tables.ts";

/**
 * Maximum number of tenants of one person in a UTC month. A deleted tenant counts until its month ends. Each tenant begins with a month's
 * credits, which could otherwise be renewed by deleting and creating tenants.
 */
const tenantsMax = 3;

/** Creates a tenant for the person. Throws 409 `tenant_limit_reached` if they have reached the limit for this month. */
export async function createTenant(deps: StoreDeps, { userId }: Person, input: TenantInput): Promise<Tenant> {
  const { storage, clock, newId } = deps;
  const { tenants, tenantMembers } = storage.tables;
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
    await tx
      .insert(tenantMembers)
      .values({ tenantId: tenant.id, userId, role: "owner", joinedAt: createdAt });
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

const suffixLetters = "abcdefghijklmnopqrstuvwxyz0123456789";
const slugMax = 63 - 7;

/** Creates a DNS label from a display name: its slug and six random characters. */
export function newCrName(displayName: string): string {
  const slug = normalized(displayName, "NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .slice(0, slugMax)
    .replaceAll(/^-|-$/g, "");
  return `${slug === "" ? "tenant" : slug}-${suffix()}`;
}

function suffix(): string {
  // 36⁶ of 2⁶⁴ values: some letters are more frequent by less than a billionth.
  let rest = randomBytes(8).readBigUInt64BE();
  const letters: string[] = [];
  for (let count = 0; count < 6; count++) {
    letters.push(suffixLetters.charAt(Number(rest % 36n)));
    rest /= 36n;
  }
  return letters.join("");
}
