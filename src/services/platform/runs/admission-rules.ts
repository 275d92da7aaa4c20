import { AppError } from "../../../kit/app-error.ts";
import type { PlanRow } from "../plans/schema.ts";
import { type CreditCounter, remainingOf } from "./credit-counters.ts";
import type { Rates } from "./price-run.ts";
import { holdTokensMin, type RunHold, runTokensUnlimited, sizeHold } from "./size-hold.ts";

/** One set of limits a run has to keep: the tenant's, or its subscription's. */
export interface LimitScope {
  plan: PlanRow;
  counter: CreditCounter;
  /** Runs in progress. */
  running: number;
  /** What paused runs that wait for a person have cost, the one that goes on left out. */
  waitingCostMicros: number;
}

/**
 * The hold of a run under every scope, or what refuses it: subscription credits, then tenant credits. `scopes` has the
 * tenant's first. A run that has used `usedTokens` before needs them held beside those it is still to use.
 */
export function holdWithin(
  scopes: readonly LimitScope[],
  rates: readonly (Rates | undefined)[],
  usedTokens = 0,
): RunHold | AppError {
  const tokensMax = runTokensMax(scopes);
  let hold: RunHold | undefined;
  for (const [index, { plan, counter }] of [...scopes.entries()].reverse()) {
    const remaining = remainingOf(plan.creditCapPeriodMicros, counter);
    const blocked = blockingLimit(plan);
    const within = blocked ? undefined : sizeHold(tokensMax, rates, remaining, usedTokens);
    if (within === undefined) {
      const code = index === 0 ? "credit_budget_exhausted" : "subscription_credit_budget_exhausted";
      const least = { tokens: Math.min(usedTokens + holdTokensMin, tokensMax), rates };
      const message = blocked
        ? `${index === 0 ? "The plan" : "The subscription's plan"} allows no runs: its ${blocked} is 0.`
        : creditsMessage({ plan, counter }, fullHold(tokensMax, rates), fullHold(least.tokens, rates));
      return new AppError("payment_required", code, message);
    }
    if (hold === undefined || within.tokens < hold.tokens) hold = within;
  }
  return hold ?? { micros: 0, tokens: tokensMax };
}

/** The tokens of a run under all of its plans. */
export const runTokensMax = (scopes: readonly LimitScope[]) =>
  Math.min(...scopes.map(({ plan }) => plan.maxRunTokens ?? runTokensUnlimited));

/** What so many tokens cost at the dearest rate, whatever is left. */
const fullHold = (tokens: number, rates: readonly (Rates | undefined)[]) =>
  sizeHold(tokens, rates, undefined)?.micros ?? 0;

/** What the run may cost, what is left, and what to do. */
function creditsMessage(
  { plan, counter }: Pick<LimitScope, "plan" | "counter">,
  mostMicros: number,
  leastMicros: number,
): string {
  const cap = plan.creditCapPeriodMicros ?? 0;
  const left = Math.max(0, cap - counter.chargedMicros - counter.heldMicros);
  const held = counter.heldMicros === 0 ? "" : ` Running requests hold ${creditsText(counter.heldMicros)}.`;
  const least = leastMicros < mostMicros ? ` It needs at least ${creditsText(leastMicros)}.` : "";
  const mend = left === 0 ? "Wait for the next month or choose" : "Lower max_run_tokens or choose";
  return `This run may cost up to ${creditsText(mostMicros)} credits, but ${creditsText(left)} of ${creditsText(cap)} credits are left this month.${least}${held} ${mend} a larger plan.`;
}

/** Micros as credits, exactly. */
function creditsText(micros: number): string {
  const digits = String(micros).padStart(7, "0");
  const fraction = digits.slice(-6).replace(/0+$/, "");
  return `${digits.slice(0, -6)}${fraction === "" ? "" : `.${fraction}`}`;
}

/** The name of a limit of what a run may use that is 0: no model may be called at all, priced or not. */
function blockingLimit(plan: PlanRow): string | undefined {
  const limits = {
    credit_cap_period_micros: plan.creditCapPeriodMicros,
    max_run_tokens: plan.maxRunTokens,
    max_tokens_per_call: plan.maxTokensPerCall,
    max_iterations: plan.maxIterations,
  };
  return Object.entries(limits).find(([, limit]) => limit === 0)?.[0];
}

/** What refuses a run because of the other runs under way; undefined: nothing. */
export function concurrencyRefusal(scopes: readonly LimitScope[]): AppError | undefined {
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

/** `secondsLeft` of the minute. */
export const rateLimited = (maxRpm: number, secondsLeft: number) =>
  new AppError("rate_limited", "rate_limited", `At most ${maxRpm} runs may be started in a minute.`, {
    details: { retryAfterSeconds: secondsLeft },
  });
