import { and, count, eq, sql } from "drizzle-orm";
import { canonicalProvider } from "../../../../engine/models/providers/registry.ts";
import type { AppError } from "../../../../kit/app-error.ts";
import { dayOf, endOfMonth, monthOf } from "../../../../kit/utc-calendar.ts";
import { requireRoom } from "../../../../storage/room.ts";
import { statement } from "../../../../storage/statement.ts";
import type { Query, Storage } from "../../../../storage/storage.ts";
import { claimApproval } from "../../approvals/claim-approval.ts";
import {
  addToCounter,
  type CreditCounter,
  counterKeys,
  tenantScope,
} from "../../counters/credit-counters.ts";
import { countAttempt, secondsLeftInMinute } from "../../counters/rate-window.ts";
import { lockFreeGrants, lockGrants } from "../../grants/grant-account.ts";
import { noticeRefusal } from "../../notices/run-notices.ts";
import { basePlan, subscriptionPlan } from "../../plans/plan-in-force.ts";
import { planStorage } from "../../room/tenant-room.ts";
import type { PlatformTables } from "../../tables.ts";
import type { RatesOf } from "../../tariffs/price-run.ts";
import { ratesInForce } from "../../tariffs/rates-in-force.ts";
import { claimKey, releaseKey } from "../idempotency/idempotency-keys.ts";
import type { AdmissionVerdict, RunAttempt, RunPlans } from "./admission.ts";
import {
  concurrencyRefusal,
  holdWithin,
  type LimitScope,
  rateLimited,
  runTokensMax,
  subscriptionInactive,
  unpricedModel,
} from "./admission-rules.ts";
import { cancelRefusal } from "./cancel-limit.ts";
import { insertInvocation, recordRejection, resumeInvocation } from "./record-invocation.ts";
import type { RunHold } from "./size-hold.ts";
import { waitingCostOf } from "./waiting-cost.ts";

type Platform = Storage<PlatformTables>;

/**
 * Admits or refuses a run in one transaction: checks, counters, hold, key and row. The order of checks is: subscription, its credits, the
 * tenant's credits, concurrent runs, runs per minute. Throws 409 or 503 if the tenant may store no more. If nothing can be stored, throws, and the run must not begin.
 */
export function admitInvocation(storage: Platform, attempt: RunAttempt): Promise<AdmissionVerdict> {
  const { tables } = storage;
  return storage.transact(
    async (tx): Promise<AdmissionVerdict> => {
      const month = monthOf(attempt.now);
      // Locks the tenant's counter, so a tenant's attempts are handled one after the other.
      const counters = await lockCounters(tx, tables, attempt, month);
      const replayed = await claimKey(tx, tables, attempt);
      if (replayed !== undefined) return { kind: "replay", invocationId: replayed };

      const refuse = async (refusal: AppError): Promise<AdmissionVerdict> => {
        await releaseKey(tx, tables, attempt);
        const { resumed } = attempt;
        const rejected = resumed === undefined ? attempt : { ...attempt, invocationId: resumed.rejectionId };
        await recordRejection(tx, tables, rejected, refusal);
        const { tenantId, agent, now } = attempt;
        await noticeRefusal(tx, tables, { tenantId, agent: agent.name, month }, refusal, now);
        return { kind: "rejected", refusal };
      };
      if (!(await hasSubscription(tx, tables, attempt))) return refuse(subscriptionInactive());
      const plans = await plansOf(tx, tables, attempt);
      // Without a record of the refusal, because that would be stored too. What has begun may end.
      if (attempt.resumed === undefined)
        await requireRoom({ ...storage, read: tx }, attempt.tenantId, () => planStorage(plans.tenant));
      const scopes = await scopesOf(tx, tables, attempt, plans, counters);
      const ratesOf = await ratesInForce(tx, tables, attempt.candidates, attempt.now);
      const unpriced = attempt.needsTariffs === true ? withoutTariff(attempt.candidates, ratesOf) : [];
      if (unpriced.length > 0) return refuse(unpricedModel(unpriced));
      const rates = attempt.candidates.map(({ provider, model }) => ratesOf(provider, model));
      const hold = holdWithin(scopes, rates, attempt.resumed?.usedTokens);
      if (hold instanceof Error) return refuse(hold);
      const refusal =
        concurrencyRefusal(scopes) ??
        cancelRefusal(scopes, {
          tokensMax: runTokensMax(scopes),
          rates,
          hold,
          isResumed: attempt.resumed !== undefined,
          secondsLeft: Math.ceil((endOfMonth(month).getTime() - attempt.now.getTime()) / 1000),
        }) ??
        (await rateRefusal(tx, tables, attempt, plans));
      if (refusal !== undefined) return refuse(refusal);

      await begin(tx, tables, attempt, plans, hold, month);
      return { kind: "admitted", run: { hold, plans } };
    },
    { isolation: "read committed" },
  );
}

/** Models without a tariff, each once. */
function withoutTariff(candidates: RunAttempt["candidates"], ratesOf: RatesOf): string[] {
  const unpriced = candidates.filter(({ provider, model }) => ratesOf(provider, model) === undefined);
  return [...new Set(unpriced.map(({ provider, model }) => `${canonicalProvider(provider)}/${model}`))];
}

/** Maximum clock difference between processes that share a database. */
const clocksApartMs = 10 * 60_000;

/**
 * Locks the counters of the attempt. Around the end of a month, processes may disagree about the month but share the tenant's places. The
 * tenant's counters of both months are locked then. The order is months, then the subscription; it is the same everywhere, to avoid
 * deadlocks.
 */
async function lockCounters(
  tx: Query,
  tables: PlatformTables,
  { tenantId, agent, now }: RunAttempt,
  month: string,
): Promise<CreditCounter[]> {
  const [ofTenant, ofSubscription] = counterKeys(tenantId, agent.subscriptionId, month);
  const around = [-clocksApartMs, 0, clocksApartMs].map((offset) =>
    monthOf(new Date(now.getTime() + offset)),
  );
  const counters: CreditCounter[] = [];
  for (const one of new Set(around)) {
    const counter = await addToCounter(tx, tables, { tenantId, scope: tenantScope, month: one });
    if (one === ofTenant?.month) counters.push(counter);
  }
  if (ofSubscription !== undefined) counters.push(await addToCounter(tx, tables, ofSubscription));
  return counters;
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
    await addToCounter(tx, tables, key, { heldMicros: hold.micros, heldGrantMicros: hold.grantMicros });
  }
  if (hold.grantMicros > 0) await lockGrants(tx, tables, attempt.tenantId, hold.grantMicros);
  const terms = { hold, month, planId: (plans.subscription ?? plans.tenant).id };
  const { runToken, tenantId, invocationId, now, timeoutMs, resumed } = attempt;
  if (resumed === undefined) {
    await insertInvocation(tx, tables, attempt, terms);
  } else {
    await claimApproval(tx, tables, tenantId, resumed.verdict, now);
    if (!(await resumeInvocation(tx, tables, attempt, terms))) throw new Error("The paused run is gone.");
  }
  if (runToken === undefined) return;
  const expiresAt = new Date(now.getTime() + timeoutMs + 60_000);
  await tokenInsertion(tx, tables).execute({ ...runToken, tenantId, invocationId, expiresAt });
}

const tokenInsertion = statement((tx: Query, { runTokens }: PlatformTables) =>
  tx
    .insert(runTokens)
    .values({
      hash: sql.placeholder("hash"),
      tenantId: sql.placeholder("tenantId"),
      invocationId: sql.placeholder("invocationId"),
      reach: sql.placeholder("reach"),
      request: sql.placeholder("request"),
      expiresAt: sql.placeholder("expiresAt"),
    })
    .prepare("platform_insert_run_token"),
);

/** Returns true if the agent needs no subscription, or today is one of the days for which its subscription is billed. */
async function hasSubscription(
  tx: Query,
  tables: PlatformTables,
  { tenantId, agent: { subscriptionId }, now }: RunAttempt,
): Promise<boolean> {
  if (subscriptionId === null) return true;
  const [row] = await subscriptionTerm(tx, tables).execute({ tenantId, subscriptionId });
  const today = dayOf(now);
  return row !== undefined && row.desde <= today && (row.lastDay === null || today <= row.lastDay);
}

const subscriptionTerm = statement((tx: Query, { subscriptions }: PlatformTables) =>
  tx
    .select({ desde: subscriptions.desde, lastDay: subscriptions.lastDay })
    .from(subscriptions)
    .where(
      and(
        eq(subscriptions.tenantId, sql.placeholder("tenantId")),
        eq(subscriptions.id, sql.placeholder("subscriptionId")),
      ),
    )
    .prepare("platform_subscription_term"),
);

async function plansOf(
  tx: Query,
  tables: PlatformTables,
  { tenantId, agent: { subscriptionId }, now }: RunAttempt,
): Promise<RunPlans> {
  return {
    tenant: await basePlan(tx, tables, tenantId, now),
    subscription:
      subscriptionId === null
        ? undefined
        : await subscriptionPlan(tx, tables, { tenantId, subscriptionId, at: now }),
  };
}

async function scopesOf(
  tx: Query,
  tables: PlatformTables,
  attempt: RunAttempt,
  { tenant, subscription }: RunPlans,
  [ofTenant, ofSubscription]: LimitScope["counter"][],
): Promise<LimitScope[]> {
  const { tenantId, agent, invocationId: except, now } = attempt;
  const waiting = { tenantId, month: monthOf(now), except };
  const freeGrantMicros = await lockFreeGrants(tx, tables, tenantId, now);
  const scopes: LimitScope[] = [];
  if (ofTenant !== undefined) {
    const running = await runningOf(tx, tables, tenantId);
    const waitingCostMicros = await waitingCostOf(tx, tables, waiting);
    scopes.push({ plan: tenant, counter: ofTenant, running, waitingCostMicros, freeGrantMicros });
  }
  if (ofSubscription !== undefined && subscription !== undefined && agent.subscriptionId !== null) {
    const running = await runningOf(tx, tables, tenantId, agent.subscriptionId);
    const waitingCostMicros = await waitingCostOf(tx, tables, {
      ...waiting,
      subscriptionId: agent.subscriptionId,
    });
    scopes.push({ plan: subscription, counter: ofSubscription, running, waitingCostMicros, freeGrantMicros });
  }
  return scopes;
}

async function runningOf(
  tx: Query,
  tables: PlatformTables,
  tenantId: string,
  subscriptionId?: string,
): Promise<number> {
  const [row] =
    subscriptionId === undefined
      ? await runningOfTenant(tx, tables).execute({ tenantId })
      : await runningOfSubscription(tx, tables).execute({ tenantId, subscriptionId });
  return row?.running ?? 0;
}

const isRunning = ({ invocations }: PlatformTables) =>
  and(eq(invocations.tenantId, sql.placeholder("tenantId")), sql`${invocations.status} = 'in_progress'`);

const runningOfTenant = statement((tx: Query, tables: PlatformTables) =>
  tx
    .select({ running: count() })
    .from(tables.invocations)
    .where(isRunning(tables))
    .prepare("platform_running_of_tenant"),
);

const runningOfSubscription = statement((tx: Query, tables: PlatformTables) =>
  tx
    .select({ running: count() })
    .from(tables.invocations)
    .where(and(isRunning(tables), eq(tables.invocations.subscriptionId, sql.placeholder("subscriptionId"))))
    .prepare("platform_running_of_subscription"),
);

/** Counts the attempt in every scope, even if the first one refuses it. */
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
  for (const [index, { scope, maxRpm }] of limits.entries()) {
    const attempts = await countAttempt(tx, tables, { tenantId, scope }, now);
    if (maxRpm !== null && attempts > maxRpm)
      refusal ??= rateLimited(maxRpm, secondsLeftInMinute(now), index);
  }
  return refusal;
}
