import { and, eq, gt, sql } from "drizzle-orm";
import type { Query } from "../../../storage/storage.ts";
import { type CreditCounter, remainingOf } from "../counters/credit-counters.ts";
import { basePlan } from "../plans/plan-in-force.ts";
import type { PlanRow } from "../plans/schema.ts";
import { baseScope } from "../subscriptions/period-lock.ts";
import type { PlatformTables } from "../tables.ts";
import { leftOf, lockGrants, type UsableGrant, usableGrants } from "./grant-account.ts";
import { byExpiry, grantedPart } from "./grant-rules.ts";

/** A run whose charge changes. */
export interface ChargedRun {
  tenantId: string;
  subscriptionId: string | null;
  month: string;
  planId: string | null;
  admittedAt: Date;
}

/** A change of a run's charge. */
export interface ChargeChange {
  /** Added to what the run was charged. */
  chargedMicros: number;
  /** Credits of grants that the run no longer holds. */
  releasedMicros: number;
  /** Counters of the run's scopes, locked, after the change: the tenant's first. */
  counters: readonly CreditCounter[];
  now: Date;
}

/** What grants paid for a run, and what is left of them. */
export interface GrantSettlement {
  /** Change of the credits that grants paid in the month. */
  grantedMicros: number;
  leftMicros: number;
}

/**
 * Lets grants pay their part of what the run's plan was charged in the month, in the transaction of the charge. A run may use grants that
 * had not expired at its admission.
 */
export async function settleGrants(
  tx: Query,
  tables: PlatformTables,
  run: ChargedRun,
  { chargedMicros, releasedMicros, counters, now }: ChargeChange,
): Promise<GrantSettlement> {
  const { tenantId, month, planId, subscriptionId } = run;
  const held = await lockGrants(tx, tables, tenantId, -releasedMicros);
  if (held === undefined || planId === null) return { grantedMicros: 0, leftMicros: 0 };
  const plan = await planOf(tx, tables, planId);
  const caps = [await basePlan(tx, tables, tenantId, now), ...(subscriptionId === null ? [] : [plan])];
  const key = { tenantId, month, scope: subscriptionId ?? baseScope, planId };
  const credits = await addPlanCredits(tx, tables, key, { chargedMicros, grantedMicros: 0 });
  const usable = await usableGrants(tx, tables, tenantId, run.admittedAt);
  const granted = grantedPart({
    ...credits,
    includedMicros: plan.includedCreditsMicros,
    freeMicros: leftOf(usable) - held,
    rooms: counters.map((counter, index) => remainingOf(caps[index]?.creditCapPeriodMicros ?? null, counter)),
  });
  const change = granted - credits.grantedMicros;
  if (change > 0) await useGrants(tx, tables, run, usable, change);
  if (change < 0) await giveBack(tx, tables, run, -change);
  if (change !== 0) await addPlanCredits(tx, tables, key, { chargedMicros: 0, grantedMicros: change });
  return { grantedMicros: change, leftMicros: leftOf(usable) - change };
}

async function planOf(tx: Query, { plans }: PlatformTables, id: string): Promise<PlanRow> {
  const [plan] = await tx.select().from(plans).where(eq(plans.id, id));
  if (plan === undefined) throw new Error(`The plan ${id} is gone.`);
  return plan;
}

async function addPlanCredits(
  tx: Query,
  { planCredits }: PlatformTables,
  key: { tenantId: string; month: string; scope: string; planId: string },
  change: { chargedMicros: number; grantedMicros: number },
): Promise<{ chargedMicros: number; grantedMicros: number; extraMicros: number }> {
  const { tenantId, month, scope, planId, chargedMicros, grantedMicros, extraMicros } = planCredits;
  const [row] = await tx
    .insert(planCredits)
    .values({ ...key, ...change, extraMicros: 0 })
    .onConflictDoUpdate({
      target: [tenantId, month, scope, planId],
      set: {
        chargedMicros: sql`${chargedMicros} + excluded.charged_micros`,
        grantedMicros: sql`${grantedMicros} + excluded.granted_micros`,
      },
    })
    .returning({ chargedMicros, grantedMicros, extraMicros });
  if (row === undefined) throw new Error("The plan's credits answered nothing.");
  return row;
}

type Month = Pick<ChargedRun, "tenantId" | "month">;

async function useGrants(
  tx: Query,
  tables: PlatformTables,
  month: Month,
  grants: readonly UsableGrant[],
  micros: number,
): Promise<void> {
  let rest = micros;
  for (const { id, leftMicros } of grants) {
    const part = Math.min(leftMicros, rest);
    if (part > 0) await addUse(tx, tables, month, id, part);
    rest -= part;
  }
}

/** Gives credits back to the grants that the month used last. */
async function giveBack(tx: Query, tables: PlatformTables, month: Month, micros: number): Promise<void> {
  const { grants, grantUses } = tables;
  const used = await tx
    .select({ id: grants.id, expiresAt: grants.expiresAt, usedMicros: grantUses.usedMicros })
    .from(grantUses)
    .innerJoin(grants, and(eq(grants.tenantId, grantUses.tenantId), eq(grants.id, grantUses.grantId)))
    .where(
      and(
        eq(grantUses.tenantId, month.tenantId),
        eq(grantUses.month, month.month),
        gt(grantUses.usedMicros, 0),
      ),
    );
  let rest = micros;
  for (const { id, usedMicros } of used.sort(byExpiry).reverse()) {
    const part = Math.min(usedMicros, rest);
    if (part > 0) await addUse(tx, tables, month, id, -part);
    rest -= part;
  }
}

async function addUse(
  tx: Query,
  { grantUses }: PlatformTables,
  { tenantId, month }: Month,
  grantId: string,
  usedMicros: number,
): Promise<void> {
  await tx
    .insert(grantUses)
    .values({ tenantId, grantId, month, usedMicros })
    .onConflictDoUpdate({
      target: [grantUses.tenantId, grantUses.grantId, grantUses.month],
      set: { usedMicros: sql`${grantUses.usedMicros} + excluded.used_micros` },
    });
}
