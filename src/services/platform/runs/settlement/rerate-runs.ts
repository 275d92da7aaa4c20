import { and, asc, eq, gt } from "drizzle-orm";
import type { Rerated } from "../../../../contracts/platform/billing/tariffs.ts";
import { writeAudit } from "../../../../control-plane/audit/write-audit.ts";
import { monthBefore, monthOf } from "../../../../kit/utc-calendar.ts";
import type { Query, ReadQuery } from "../../../../storage/storage.ts";
import type { Operator } from "../../auth/credentials.ts";
import {
  addToCounter,
  type CreditCounter,
  counterKeys,
  emptyCounter,
  readCounters,
  remainingOf,
} from "../../counters/credit-counters.ts";
import { leftOf, lockFreeGrants, usableGrants } from "../../grants/grant-account.ts";
import { basePlan, subscriptionPlan } from "../../plans/plan-in-force.ts";
import { baseScope, lockPeriod } from "../../subscriptions/period-lock.ts";
import type { PlatformTables, StoreDeps } from "../../tables.ts";
import { priceRun, type RunPrice } from "../../tariffs/price-run.ts";
import { ratesInForce } from "../../tariffs/rates-in-force.ts";
import { tenantNames } from "../../tenants/tenant-names.ts";
import type { InvocationRow } from "../schema.ts";
import { moveParts } from "./attribute-runs.ts";
import { changeCharge } from "./change-charge.ts";
import { usageOf } from "./merge-usage.ts";

/** Runs that are read at once, and priced in a transaction each. */
const pageRows = 200;

interface RerateWish {
  /** By default, the current month and the one before. Periods of earlier months are closed. */
  period?: string | undefined;
  tenantId?: string | undefined;
  /** True to return what would be charged, without a change. */
  dryRun: boolean;
  requestId: string;
}

/** A run's new price. */
interface NewPrice {
  chargedMicros: number;
  overrunMicros: number;
  row: Partial<InvocationRow>;
  price: RunPrice;
}

/**
 * Prices answered runs again that were unpriced when they ended, with the tariffs that are stored now for their instant. Runs of closed
 * periods stay as they are. What would exceed a cap is not charged and is recorded as overrun. Repeating it charges nothing twice.
 */
export async function rerateRuns(
  deps: StoreDeps,
  operator: Operator,
  { period, tenantId, dryRun, requestId }: RerateWish,
): Promise<Rerated> {
  const { storage, clock } = deps;
  const { read, tables } = storage;
  const now = clock.now();
  const current = monthOf(now);
  const counted = new Map<string, CreditCounter>();
  const sums = new Map<string, Rerated["tenants"][number]>();
  for (const month of period === undefined ? [monthBefore(current), current] : [period]) {
    for await (const run of unpricedRuns(read, tables, month, tenantId)) {
      const charged = dryRun
        ? await previewRun(read, tables, run, counted, now)
        : await rerateRun(deps, operator, run, requestId);
      if (charged === undefined) continue;
      const key = `${run.tenantId} ${month}`;
      const sum = sums.get(key) ?? {
        tenant_id: run.tenantId,
        tenant_name: "",
        period: month,
        invocations: 0,
        credits_micros: 0,
      };
      sum.invocations++;
      sum.credits_micros += charged;
      sums.set(key, sum);
    }
  }
  const names = await tenantNames(
    read,
    tables,
    [...sums.values()].map(({ tenant_id }) => tenant_id),
  );
  return {
    dry_run: dryRun,
    tenants: [...sums.values()].map((sum) => ({
      ...sum,
      tenant_name: names.get(sum.tenant_id) ?? sum.tenant_id,
    })),
  };
}

async function* unpricedRuns(
  read: ReadQuery,
  { invocations }: PlatformTables,
  month: string,
  tenantId: string | undefined,
): AsyncGenerator<InvocationRow> {
  for (let after = ""; ; ) {
    const rows = await read
      .select()
      .from(invocations)
      .where(
        and(
          eq(invocations.month, month),
          tenantId === undefined ? undefined : eq(invocations.tenantId, tenantId),
          eq(invocations.status, "ok"),
          eq(invocations.pricingStatus, "unpriced"),
          gt(invocations.id, after),
        ),
      )
      .orderBy(asc(invocations.id))
      .limit(pageRows);
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < pageRows) return;
    after = last.id;
  }
}

/** Returns the credits that a run would be charged in addition; undefined if no tariff prices it further or its period is closed. */
async function previewRun(
  read: ReadQuery,
  tables: PlatformTables,
  run: InvocationRow,
  counted: Map<string, CreditCounter>,
  now: Date,
): Promise<number | undefined> {
  const { billingPeriods } = tables;
  const [period] = await read
    .select({ status: billingPeriods.status })
    .from(billingPeriods)
    .where(
      and(
        eq(billingPeriods.tenantId, run.tenantId),
        eq(billingPeriods.scope, run.subscriptionId ?? baseScope),
        eq(billingPeriods.month, run.month),
      ),
    );
  if (period !== undefined && period.status !== "open") return undefined;
  const keyOf = (scope: string) => `${run.tenantId} ${run.month} ${scope}`;
  const stored = await readCounters(read, tables, run.tenantId, run.month);
  const keys = counterKeys(run.tenantId, run.subscriptionId, run.month);
  const counters = keys.map(({ scope }) => counted.get(keyOf(scope)) ?? stored.get(scope) ?? emptyCounter);
  const free = leftOf(await usableGrants(read, tables, run.tenantId, run.admittedAt));
  const price = await newPrice(read, tables, run, { counters, free, now });
  if (price === undefined) return undefined;
  const added = price.chargedMicros - run.chargedMicros;
  for (const [index, { scope }] of keys.entries()) {
    const counter = counters[index] ?? emptyCounter;
    counted.set(keyOf(scope), { ...counter, chargedMicros: counter.chargedMicros + added });
  }
  return added;
}

function rerateRun(
  { storage, clock, newId }: StoreDeps,
  { actor }: Operator,
  { tenantId, id, month, subscriptionId }: InvocationRow,
  requestId: string,
): Promise<number | undefined> {
  const { tables } = storage;
  const { invocations } = tables;
  return storage.transact(
    async (tx) => {
      const now = clock.now();
      // The same order as for closing and settling: the period, the run, the counters, the grants.
      const scope = subscriptionId ?? baseScope;
      const period = await lockPeriod(tx, tables, { tenantId, scope, month }, { now, newId });
      if (period.status !== "open") return undefined;
      const ofRun = and(eq(invocations.tenantId, tenantId), eq(invocations.id, id));
      // Locks the row.
      const [run] = await tx.update(invocations).set({ tenantId }).where(ofRun).returning();
      if (run === undefined || run.status !== "ok" || run.pricingStatus !== "unpriced") return undefined;
      const keys = counterKeys(tenantId, subscriptionId, month);
      const counters: CreditCounter[] = [];
      for (const key of keys) counters.push(await addToCounter(tx, tables, key));
      const free = await lockFreeGrants(tx, tables, tenantId, run.admittedAt);
      const price = await newPrice(tx, tables, run, { counters, free, now });
      if (price === undefined) return undefined;
      const { chargedMicros, overrunMicros, row } = price;
      const rated = { ...row, chargedMicros, overrunMicros, ratedAt: now };
      await tx.update(invocations).set(rated).where(ofRun);
      const added = chargedMicros - run.chargedMicros;
      await changeCharge(tx, tables, run, { chargedMicros: added, now });
      await moveParts(tx, tables, run, { ...run, ...rated }, price.price);
      await writeAudit({ storage, newId }, tx, now, {
        actor,
        action: "invocation.rerate",
        ownerId: tenantId,
        subject: id,
        detail: { month, before_micros: run.chargedMicros, charged_micros: chargedMicros },
        requestId,
      });
      return added;
    },
    { isolation: "read committed" },
  );
}

/** Room for a run's charge. */
interface Room {
  /** Of the tenant and the subscription. */
  counters: readonly CreditCounter[];
  /** Credits of grants. */
  free: number;
  now: Date;
}

/** Returns undefined if the stored tariffs price no further part of the run. */
async function newPrice(
  query: Query | ReadQuery,
  tables: PlatformTables,
  run: InvocationRow,
  { counters, free, now }: Room,
): Promise<NewPrice | undefined> {
  const usage = usageOf(run);
  const before = await ratesInForce(query, tables, usage, run.admittedAt, run.ratedAt ?? run.endedAt ?? now);
  const ratesOf = await ratesInForce(query, tables, usage, run.admittedAt);
  const isNew = usage.some(
    ({ provider, model }) => before(provider, model) === undefined && ratesOf(provider, model) !== undefined,
  );
  if (!isNew) return undefined;
  const price = priceRun(usage, ratesOf, 0);
  const remaining = free + (await remainingFor(query, tables, run, counters, now));
  const chargedMicros = Math.max(
    run.chargedMicros,
    Math.min(price.creditsMicros, run.chargedMicros + Math.max(0, remaining)),
  );
  return {
    chargedMicros,
    overrunMicros: Math.max(0, price.creditsMicros - chargedMicros),
    price,
    row: {
      pricingStatus: price.pricingStatus,
      providerCostMicros: price.providerCostMicros,
      costUnknown: price.costUnknown,
    },
  };
}

/** Credits left under the caps of the run's plans, besides grants. */
async function remainingFor(
  query: Query | ReadQuery,
  tables: PlatformTables,
  { tenantId, subscriptionId }: InvocationRow,
  counters: readonly CreditCounter[],
  now: Date,
): Promise<number> {
  const plans = [await basePlan(query, tables, tenantId, now)];
  if (subscriptionId !== null)
    plans.push(await subscriptionPlan(query, tables, { tenantId, subscriptionId, at: now }));
  return Math.min(
    ...plans.map(
      ({ creditCapPeriodMicros }, index) =>
        remainingOf(creditCapPeriodMicros, counters[index] ?? emptyCounter) ?? Number.MAX_SAFE_INTEGER,
    ),
  );
}
