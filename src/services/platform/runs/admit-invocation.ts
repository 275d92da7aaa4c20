import { and, count, eq } from "drizzle-orm";
import type { AppError } from "../../../kit/app-error.ts";
import type { Query, Storage } from "../../../storage/storage.ts";
import { dayOf, monthOf } from "../billing/utc-calendar.ts";
import { basePlan, subscriptionPlan } from "../plans/plan-in-force.ts";
import type { PlatformTables } from "../tables.ts";
import { ratesInForce } from "../tariffs/rates-in-force.ts";
import type { AdmissionVerdict, RunAttempt, RunPlans } from "./admission.ts";
import {
  crowdRefusal,
  holdWithin,
  type LimitScope,
  rateLimited,
  subscriptionInactive,
} from "./admission-rules.ts";
import { addToCounter, counterKeys, tenantScope } from "./credit-counters.ts";
import { claimKey, releaseKey } from "./idempotency.ts";
import { countAttempt, secondsLeftInMinute } from "./rate-window.ts";
import { insertInvocation, recordRejection } from "./record-invocation.ts";
import type { RunHold } from "./size-hold.ts";

type Platform = Storage<PlatformTables>;

/**
 * Lets a run begin or refuses it, in one transaction: checks, counters, hold, key and the record of it. In this order:
 * subscription, its credits, the tenant's credits, runs at once, runs in a minute. Throws when nothing could be recorded:
 * then nothing may be run.
 */
export function admitInvocation(storage: Platform, attempt: RunAttempt): Promise<AdmissionVerdict> {
  const { tables } = storage;
  return storage.transact(
    async (tx): Promise<AdmissionVerdict> => {
      const month = monthOf(attempt.now);
      // Locks the tenant's counter: attempts of one tenant come one after the other.
      const keys = counterKeys(attempt.tenantId, attempt.agent.subscriptionId, month);
      const counters = [];
      for (const key of keys) counters.push(await addToCounter(tx, tables, key));
      const replayed = await claimKey(tx, tables, attempt);
      if (replayed !== undefined) return { kind: "replay", invocationId: replayed };

      const refuse = async (refusal: AppError): Promise<AdmissionVerdict> => {
        await releaseKey(tx, tables, attempt);
        await recordRejection(tx, tables, attempt, refusal);
        return { kind: "rejected", refusal };
      };
      if (!(await hasSubscription(tx, tables, attempt))) return refuse(subscriptionInactive());
      const plans = await plansOf(tx, tables, attempt, month);
      const scopes = await scopesOf(tx, tables, attempt, plans, counters);
      const ratesOf = await ratesInForce(tx, tables, attempt.candidates, attempt.now);
      const hold = holdWithin(
        scopes,
        attempt.candidates.map(({ provider, model }) => ratesOf(provider, model)),
      );
      if (hold instanceof Error) return refuse(hold);
      const refusal = crowdRefusal(scopes) ?? (await rateRefusal(tx, tables, attempt, plans));
      if (refusal !== undefined) return refuse(refusal);

      await begin(tx, tables, attempt, plans, hold, month);
      return { kind: "admitted", run: { hold, plans } };
    },
    { isolation: "read committed" },
  );
}

async function begin(
  tx: Query,
  tables: PlatformTables,
  attempt: RunAttempt,
  plans: RunPlans,
  hold: RunHold,
  month: string,
): Promise<void> {
  for (const key of counterKeys(attempt.tenantId, attempt.agent.subscriptionId, month)) {
    await addToCounter(tx, tables, key, { heldMicros: hold.micros });
  }
  await insertInvocation(tx, tables, attempt, {
    hold,
    month,
    planId: (plans.subscription ?? plans.tenant).id,
  });
  const { runToken, tenantId, invocationId, now, timeoutMs } = attempt;
  if (runToken === undefined) return;
  const expiresAt = new Date(now.getTime() + timeoutMs + 60_000);
  await tx.insert(tables.runTokens).values({ ...runToken, tenantId, invocationId, expiresAt });
}

/** Whether the agent needs no subscription, or has an active one. */
async function hasSubscription(
  tx: Query,
  { subscriptions }: PlatformTables,
  { tenantId, agent: { subscriptionId }, now }: RunAttempt,
): Promise<boolean> {
  if (subscriptionId === null) return true;
  const [row] = await tx
    .select({ desde: subscriptions.desde, cancelledAt: subscriptions.cancelledAt })
    .from(subscriptions)
    .where(and(eq(subscriptions.tenantId, tenantId), eq(subscriptions.id, subscriptionId)));
  return row !== undefined && row.cancelledAt === null && row.desde <= dayOf(now);
}

async function plansOf(
  tx: Query,
  tables: PlatformTables,
  { tenantId, agent: { subscriptionId }, now }: RunAttempt,
  month: string,
): Promise<RunPlans> {
  return {
    tenant: await basePlan(tx, tables, tenantId, now),
    subscription:
      subscriptionId === null
        ? undefined
        : await subscriptionPlan(tx, tables, { tenantId, subscriptionId, month }),
  };
}

async function scopesOf(
  tx: Query,
  tables: PlatformTables,
  attempt: RunAttempt,
  { tenant, subscription }: RunPlans,
  [ofTenant, ofSubscription]: LimitScope["counter"][],
): Promise<LimitScope[]> {
  const { tenantId, agent } = attempt;
  const scopes: LimitScope[] = [];
  if (ofTenant !== undefined) {
    scopes.push({ plan: tenant, counter: ofTenant, running: await runningOf(tx, tables, tenantId) });
  }
  if (ofSubscription !== undefined && subscription !== undefined && agent.subscriptionId !== null) {
    const running = await runningOf(tx, tables, tenantId, agent.subscriptionId);
    scopes.push({ plan: subscription, counter: ofSubscription, running });
  }
  return scopes;
}

async function runningOf(
  tx: Query,
  { invocations }: PlatformTables,
  tenantId: string,
  subscriptionId?: string,
): Promise<number> {
  const [row] = await tx
    .select({ running: count() })
    .from(invocations)
    .where(
      and(
        eq(invocations.tenantId, tenantId),
        eq(invocations.status, "in_progress"),
        subscriptionId === undefined ? undefined : eq(invocations.subscriptionId, subscriptionId),
      ),
    );
  return row?.running ?? 0;
}

/** Counts the attempt under every scope, whatever the first of them says. */
async function rateRefusal(
  tx: Query,
  tables: PlatformTables,
  { tenantId, agent: { subscriptionId }, now }: RunAttempt,
  { tenant, subscription }: RunPlans,
): Promise<AppError | undefined> {
  let refusal: AppError | undefined;
  const limits = [
    { scope: tenantScope, maxRpm: tenant.maxRpm },
    ...(subscription && subscriptionId !== null
      ? [{ scope: subscriptionId, maxRpm: subscription.maxRpm }]
      : []),
  ];
  for (const { scope, maxRpm } of limits) {
    const attempts = await countAttempt(tx, tables, { tenantId, scope }, now);
    if (maxRpm !== null && attempts > maxRpm) refusal ??= rateLimited(maxRpm, secondsLeftInMinute(now));
  }
  return refusal;
}
