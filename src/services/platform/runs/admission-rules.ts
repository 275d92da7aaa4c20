import { AppError } from "../../../kit/app-error.ts";
import type { PlanRow } from "../plans/schema.ts";
import { type CreditCounter, remainingOf } from "./credit-counters.ts";
import type { Rates } from "./price-run.ts";
import { type RunHold, runTokensUnlimited, sizeHold } from "./size-hold.ts";

/** One set of limits a run has to keep: the tenant's, or its subscription's. */
export interface LimitScope {
  plan: PlanRow;
  counter: CreditCounter;
  /** Runs in progress. */
  running: number;
}

/** Provider cost of cancelled runs over this share of the cap stops further runs: cancelling is free, but not for us. */
const cancelledShareMax = 0.05;

/**
 * The hold of a run under every scope, or what refuses it: subscription credits, then tenant credits. `scopes` has the
 * tenant's first. A run that has used `usedTokens` before needs them held beside those it is still to use.
 */
export function holdWithin(
  scopes: readonly LimitScope[],
  rates: readonly (Rates | undefined)[],
  usedTokens = 0,
): RunHold | AppError {
  const tokensMax = Math.min(...scopes.map(({ plan }) => plan.maxRunTokens ?? runTokensUnlimited));
  let hold: RunHold | undefined;
  for (const [index, { plan, counter }] of [...scopes.entries()].reverse()) {
    const remaining = remainingOf(plan.creditCapPeriodMicros, counter);
    const within = isBlocked(plan) ? undefined : sizeHold(tokensMax, rates, remaining, usedTokens);
    if (within === undefined) return index === 0 ? creditsExhausted() : subscriptionCreditsExhausted();
    if (hold === undefined || within.tokens < hold.tokens) hold = within;
  }
  return hold ?? { micros: 0, tokens: tokensMax };
}

/** 0 in a limit of what a run may use: no model may be called at all, priced or not. */
function isBlocked({
  creditCapPeriodMicros,
  maxRunTokens,
  maxTokensPerCall,
  maxIterations,
}: PlanRow): boolean {
  return [creditCapPeriodMicros, maxRunTokens, maxTokensPerCall, maxIterations].includes(0);
}

/** What refuses a run by what else runs, or ran and was cancelled; undefined: nothing. */
export function crowdRefusal(scopes: readonly LimitScope[]): AppError | undefined {
  for (const { plan, running } of scopes) {
    if (plan.maxConcurrency !== null && running >= plan.maxConcurrency) {
      return new AppError(
        "rate_limited",
        "concurrency_exceeded",
        `At most ${plan.maxConcurrency} runs may be under way at once.`,
        { details: { retryAfterSeconds: 1 } },
      );
    }
  }
  for (const { plan, counter } of scopes) {
    const cap = plan.creditCapPeriodMicros;
    if (cap !== null && counter.cancelledCostMicros > cap * cancelledShareMax) {
      return new AppError(
        "rate_limited",
        "cancel_limit",
        "Too many runs of this month were cancelled after they had cost something.",
      );
    }
  }
  return undefined;
}

/** Where an agent's subscription was cancelled. */
export const subscriptionInactive = () =>
  new AppError("unprocessable", "subscription_inactive", "The subscription of this agent is not active.");

/** Where the operator allows priced models alone. */
export const unpricedModel = (models: readonly string[]) =>
  new AppError(
    "payment_required",
    "unpriced_model",
    `The agent may call ${models.join(", ")}, which ${models.length === 1 ? "has" : "have"} no tariff here.`,
    { details: { hint: "Choose models with a tariff, or ask the operator to file one." } },
  );

const creditsExhausted = () =>
  new AppError("payment_required", "credit_budget_exhausted", "The credits of this month are used up.");

const subscriptionCreditsExhausted = () =>
  new AppError(
    "payment_required",
    "subscription_credit_budget_exhausted",
    "The subscription's credits of this month are used up.",
  );

/** `secondsLeft` of the minute. */
export const rateLimited = (maxRpm: number, secondsLeft: number) =>
  new AppError("rate_limited", "rate_limited", `At most ${maxRpm} runs may be started in a minute.`, {
    details: { retryAfterSeconds: secondsLeft },
  });
