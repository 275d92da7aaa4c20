import { creditsText } from "../../../../contracts/amounts.ts";
import { AppError } from "../../../../kit/app-error.ts";
import { type CreditCounter, remainingOf } from "../../counters/credit-counters.ts";
import { heldOfGrants } from "../../grants/grant-rules.ts";
import type { PlanRow } from "../../plans/schema.ts";
import type { Rates } from "../../tariffs/price-run.ts";
import { holdTokensMin, type RunHold, runTokensUnlimited, sizeHold } from "./size-hold.ts";

/** A plan's limits that apply to a run: the tenant's or its subscription's. */
export interface LimitScope {
  plan: PlanRow;
  counter: CreditCounter;
  /** Runs in progress. */
  running: number;
  /** Cost of paused runs that wait for a person, except the one being resumed. */
  waitingCostMicros: number;
  /** Credits of the tenant's grants that no run holds. */
  freeGrantMicros: number;
}

/**
 * Returns the hold of a run under every scope, or the refusal: subscription credits first, then tenant credits. The tenant's scope is the
 * first in `scopes`. If the run has already used `usedTokens`, the hold includes them.
 */
export function holdWithin(
  scopes: readonly LimitScope[],
  rates: readonly (Rates | undefined)[],
  usedTokens = 0,
): RunHold | AppError {
  const tokensMax = runTokensMax(scopes);
  let hold: { micros: number; tokens: number } | undefined;
  for (const [index, scope] of [...scopes.entries()].reverse()) {
    const remaining = leftIn(scope);
    const blocked = blockingLimit(scope);
    const within = blocked ? undefined : sizeHold(tokensMax, rates, remaining, usedTokens);
    if (within === undefined) {
      const code = index === 0 ? "credit_budget_exhausted" : "subscription_credit_budget_exhausted";
      const least = { tokens: Math.min(usedTokens + holdTokensMin, tokensMax), rates };
      const message = blocked
        ? allowsNone(planName(index), blocked)
        : creditsMessage(scope, fullHold(tokensMax, rates), fullHold(least.tokens, rates));
      return new AppError("payment_required", code, message);
    }
    if (hold === undefined || within.tokens < hold.tokens) hold = within;
  }
  const { micros, tokens } = hold ?? { micros: 0, tokens: tokensMax };
  return { micros, tokens, grantMicros: heldOfGrants(micros, scopes.map(roomIn)) };
}

/** Credits left under the cap of a plan, besides grants; undefined without a cap. */
const roomIn = ({ plan, counter }: LimitScope) => remainingOf(plan.creditCapPeriodMicros, counter);

/** Credits left under the cap and of grants; undefined without a cap. */
function leftIn(scope: LimitScope): number | undefined {
  const room = roomIn(scope);
  return room === undefined ? undefined : room + scope.freeGrantMicros;
}

/** Credits that the cap and grants allow in the month; null without a cap. */
export const capOf = (scope: LimitScope): number | null => {
  const left = leftIn(scope);
  return left === undefined ? null : left + scope.counter.chargedMicros + scope.counter.heldMicros;
};

/** Maximum tokens of a run under all of its plans. */
export const runTokensMax = (scopes: readonly LimitScope[]) =>
  Math.min(...scopes.map(({ plan }) => plan.maxRunTokens ?? runTokensUnlimited));

/** Cost of this many tokens at the highest rate, regardless of the credits left. */
const fullHold = (tokens: number, rates: readonly (Rates | undefined)[]) =>
  sizeHold(tokens, rates, undefined)?.micros ?? 0;

/** States the possible cost of the run, the credits left, and the remedy. */
function creditsMessage(scope: LimitScope, mostMicros: number, leastMicros: number): string {
  const { counter } = scope;
  const cap = capOf(scope) ?? 0;
  const left = Math.max(0, leftIn(scope) ?? 0);
  const held = counter.heldMicros === 0 ? "" : ` Running requests hold ${creditsText(counter.heldMicros)}.`;
  const least = leastMicros < mostMicros ? ` It needs at least ${creditsText(leastMicros)}.` : "";
  const mend =
    left === 0 ? "Wait for the next month, ask for a top-up or choose" : "Lower max_run_tokens or choose";
  return `This run may cost up to ${creditsText(mostMicros)} credits, but ${creditsText(left)} of ${creditsText(cap)} credits are left this month.${least}${held} ${mend} a larger plan.`;
}

/** Returns the name of a usage limit that is 0. No model may be called then, with or without a price. Grants lift a credit cap of 0. */
function blockingLimit({ plan, freeGrantMicros }: LimitScope): string | undefined {
  const limits = {
    credit_cap_period_micros: freeGrantMicros > 0 ? null : plan.creditCapPeriodMicros,
    max_run_tokens: plan.maxRunTokens,
    max_tokens_per_call: plan.maxTokensPerCall,
    max_iterations: plan.maxIterations,
  };
  return Object.entries(limits).find(([, limit]) => limit === 0)?.[0];
}

/** Returns the refusal due to other running requests; undefined if there is none. */
export function concurrencyRefusal(scopes: readonly LimitScope[]): AppError | undefined {
  for (const [index, { plan, running }] of scopes.entries()) {
    if (plan.maxConcurrency === null || running < plan.maxConcurrency) continue;
    if (plan.maxConcurrency === 0) {
      return new AppError(
        "rate_limited",
        "concurrency_exceeded",
        allowsNone(planName(index), "max_concurrency"),
        { details: { retryAfterSeconds: seldomSeconds } },
      );
    }
    return new AppError(
      "rate_limited",
      "concurrency_exceeded",
      `At most ${plan.maxConcurrency} runs may be in progress at once.`,
      { details: { retryAfterSeconds: 1 } },
    );
  }
  return undefined;
}

/** Name of the plan of a scope; the tenant's is the first. */
const planName = (index: number) => (index === 0 ? "The plan" : "The subscription's plan");

/** For a limit of 0, where waiting doesn't help: only another plan does. */
const seldomSeconds = 3600;

const allowsNone = (plan: string, limit: string) => `${plan} allows no runs: its ${limit} is 0.`;

/** For an agent whose subscription has ended or has not begun. */
export const subscriptionInactive = () =>
  new AppError("unprocessable", "subscription_inactive", "The subscription of this agent is not active.");

/** For platforms where only models with a tariff may be used. */
export const unpricedModel = (models: readonly string[]) =>
  new AppError(
    "payment_required",
    "unpriced_model",
    `The agent may call ${models.join(", ")}, which ${models.length === 1 ? "has" : "have"} no tariff.`,
    { details: { hint: "Choose models with a tariff, or ask the operator to create one." } },
  );

/** `secondsLeft` is the rest of the current minute; `index` is the place of the plan's scope. */
export const rateLimited = (maxRpm: number, secondsLeft: number, index: number) =>
  maxRpm === 0
    ? new AppError("rate_limited", "rate_limited", allowsNone(planName(index), "max_rpm"), {
        details: { retryAfterSeconds: seldomSeconds },
      })
    : new AppError("rate_limited", "rate_limited", `At most ${maxRpm} runs may start per minute.`, {
        details: { retryAfterSeconds: secondsLeft },
      });
