import { and, eq, isNotNull, isNull, sql } from "drizzle-orm";
import type { Grant, GrantInput } from "../../../contracts/platform/billing/grants.ts";
import { writeAudit } from "../../../control-plane/audit/write-audit.ts";
import { readFuture } from "../../../http/read-instant.ts";
import { AppError } from "../../../kit/app-error.ts";
import { dayMs, monthOf } from "../../../kit/utc-calendar.ts";
import type { Query } from "../../../storage/storage.ts";
import type { Operator } from "../auth/credentials.ts";
import { addToCounter, tenantScope } from "../counters/credit-counters.ts";
import { onceByKey } from "../operator-keys/once-by-key.ts";
import { baseScope, lockPeriod } from "../subscriptions/period-lock.ts";
import type { PlatformTables, StoreDeps } from "../tables.ts";
import { lockGrants } from "./grant-account.ts";
import { presentGrant } from "./list-grants.ts";

/** What an operator orders for a tenant. */
export interface Ordered<Input> {
  tenantId: string;
  input: Input;
  requestId: string;
  /** Idempotency key. */
  key?: string | undefined;
}

/** Maximum of a tenant's granted credits and of a month's prices, so every sum can be represented exactly. */
const sumMax = 1_000_000_000_000_000n;

/**
 * Gives a tenant credits. Its price is charged in the current period. Credits over those included that were used before stay charged as
 * extra credits.
 */
export function giveGrant(
  deps: StoreDeps,
  { actor }: Operator,
  { tenantId, input, requestId, key }: Ordered<GrantInput>,
): Promise<Grant> {
  const { storage, clock, newId } = deps;
  const { tables } = storage;
  return storage.transact(
    async (tx) => {
      const now = clock.now();
      const request = ["grant", tenantId, input];
      return onceByKey(tx, tables, { key, request }, now, () => give(tx, now));
    },
    { isolation: "read committed" },
  );

  async function give(tx: Query, now: Date): Promise<Grant> {
    const expiresAt = readFuture("expires_at", input.expires_at ?? undefined, now) ?? null;
    await requireLive(tx, tables, tenantId);
    const month = monthOf(now);
    await lockPeriod(tx, tables, { tenantId, scope: baseScope, month }, { now, newId });
    // Runs of the last month may still end.
    const months = [...new Set([monthOf(new Date(now.getTime() - dayMs)), month])];
    for (const each of months) await addToCounter(tx, tables, { tenantId, scope: tenantScope, month: each });
    await openAccount(tx, tables, tenantId);
    const row = {
      tenantId,
      id: newId(),
      creditsMicros: input.credits_micros,
      reason: input.reason,
      expiresAt,
      priceMicros: input.price_micros ?? null,
      month,
      createdBy: actor,
      createdAt: now,
    };
    await requireExact(tx, tables, row);
    for (const each of months) await noteExtras(tx, tables, { tenantId, month: each });
    await tx.insert(tables.grants).values(row);
    await writeAudit(deps, tx, now, {
      actor,
      action: "grant.create",
      ownerId: tenantId,
      subject: row.id,
      detail: { ...input },
      requestId,
    });
    return presentGrant(row, 0, now);
  }
}

async function requireLive(tx: Query, { tenants }: PlatformTables, tenantId: string): Promise<void> {
  const [tenant] = await tx
    .select({ id: tenants.id })
    .from(tenants)
    .where(and(eq(tenants.id, tenantId), isNull(tenants.deletedAt)));
  if (tenant === undefined) throw new AppError("not_found", "not_found", "There is no such tenant.");
}

async function openAccount(tx: Query, tables: PlatformTables, tenantId: string): Promise<void> {
  await tx.insert(tables.grantAccounts).values({ tenantId, heldMicros: 0 }).onConflictDoNothing();
  await lockGrants(tx, tables, tenantId);
}

async function requireExact(
  tx: Query,
  { grants }: PlatformTables,
  { tenantId, month, creditsMicros, priceMicros }: PlatformTables["grants"]["$inferInsert"],
): Promise<void> {
  const given = await tx
    .select({ credits: grants.creditsMicros, price: grants.priceMicros, month: grants.month })
    .from(grants)
    .where(eq(grants.tenantId, tenantId));
  const credits = given.reduce((sum, each) => sum + BigInt(each.credits), BigInt(creditsMicros));
  const prices = given
    .filter((each) => each.month === month)
    .reduce((sum, { price }) => sum + BigInt(price ?? 0), BigInt(priceMicros ?? 0));
  if (credits <= sumMax && prices <= sumMax) return;
  throw new AppError(
    "unprocessable",
    "amount_too_large",
    "With this grant, the tenant's grants would exceed what can be billed exactly.",
  );
}

/** Notes for each plan of the month what was used over the included credits so far, because the new grant doesn't pay that. */
async function noteExtras(
  tx: Query,
  { invocations, plans, planCredits }: PlatformTables,
  { tenantId, month }: { tenantId: string; month: string },
): Promise<void> {
  const charged = await tx
    .select({
      scope: sql<string>`coalesce(${invocations.subscriptionId}, ${baseScope})`,
      planId: plans.id,
      included: plans.includedCreditsMicros,
      chargedMicros: sql`sum(${invocations.chargedMicros})`.mapWith(Number),
    })
    .from(invocations)
    .innerJoin(plans, eq(plans.id, invocations.planId))
    .where(
      and(eq(invocations.tenantId, tenantId), eq(invocations.month, month), isNotNull(invocations.planId)),
    )
    .groupBy(invocations.subscriptionId, plans.id, plans.includedCreditsMicros);
  for (const { scope, planId, included, chargedMicros } of charged) {
    const over = Math.max(0, chargedMicros - included);
    const { tenantId: tenant, month: of, scope: within, planId: under, grantedMicros } = planCredits;
    await tx
      .insert(planCredits)
      .values({ tenantId, month, scope, planId, chargedMicros, grantedMicros: 0, extraMicros: over })
      .onConflictDoUpdate({
        target: [tenant, of, within, under],
        set: {
          chargedMicros,
          extraMicros: sql`case when ${grantedMicros} > ${over} then 0 else ${over} - ${grantedMicros} end`,
        },
      });
  }
}
