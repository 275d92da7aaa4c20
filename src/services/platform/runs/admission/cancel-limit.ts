import { AppError } from "../../../../kit/app-error.ts";
import type { Rates } from "../../tariffs/price-run.ts";
import { capOf, type LimitScope } from "./admission-rules.ts";
import { type RunHold, sizeHold } from "./size-hold.ts";

/*
 * Limit on the cost of a tenant's uncharged runs.
 *
 * If a tenant's action ends a run without a charge, the run has still cost the operator something. That cost is added to the counters under
 * which the run was admitted. A run that waits for a person counts the same while it waits, because the decision may never come. New runs
 * are refused while the sum of both exceeds the bound. Every admission first holds its worst case under the cap. So at the last admission,
 * charged + held is at most the cap, and uncharged + waiting is at most the bound; running requests cost at most what they hold. Therefore
 * a period costs at most its cap plus the bound, for any number of concurrent runs.
 *
 * When a paused run resumes, its cost moves from waiting to held. It is refused if the cap plus the bound would be exceeded, or if the
 * uncharged cost of ended runs exceeds the bound.
 */

const unchargedShareMax = 0.05;

/** Bound of a plan in a period: 5 % of its cap or one hold, whichever is greater; undefined without a cap. */
export function cancelBound(capMicros: number | null, holdMicros: number): number | undefined {
  if (capMicros === null) return undefined;
  return Math.max(Math.floor(capMicros * unchargedShareMax), Math.min(capMicros, holdMicros));
}

/** An admission to check against the cost of earlier runs. */
export interface CancelCheck {
  tokensMax: number;
  rates: readonly (Rates | undefined)[];
  hold: RunHold;
  /** True if a paused run is being resumed. */
  isResumed: boolean;
  /** Seconds until the period ends. */
  secondsLeft: number;
}

/** Returns the refusal due to the cost of the tenant's uncharged runs; undefined if there is none. */
export function cancelRefusal(scopes: readonly LimitScope[], check: CancelCheck): AppError | undefined {
  const full = sizeHold(check.tokensMax, check.rates, undefined)?.micros ?? 0;
  for (const scope of scopes) {
    const { counter, waitingCostMicros } = scope;
    const cap = capOf(scope);
    const bound = cancelBound(scope.plan.creditCapPeriodMicros, full);
    if (cap === null || bound === undefined) continue;
    const uncharged = counter.cancelledCostMicros;
    const isAbove = check.isResumed
      ? uncharged > bound ||
        counter.chargedMicros + counter.heldMicros + check.hold.micros + uncharged + waitingCostMicros >
          cap + bound
      : uncharged + waitingCostMicros > bound;
    if (isAbove) return tooMuchUncharged(check.secondsLeft);
  }
  return undefined;
}

function tooMuchUncharged(secondsLeft: number): AppError {
  return new AppError(
    "rate_limited",
    "cancel_limit",
    "Too many runs of this month had costs but no charge: they were cancelled, timed out, reached a limit of the agent, or wait for an approval.",
    {
      details: {
        hint: "Decide on pending approvals, or wait for the next month. Raise timeout_seconds and max_iterations if runs reach them.",
        retryAfterSeconds: secondsLeft,
      },
    },
  );
}
