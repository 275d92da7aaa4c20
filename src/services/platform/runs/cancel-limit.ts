import { AppError } from "../../../kit/app-error.ts";
import type { LimitScope } from "./admission-rules.ts";
import type { Rates } from "./price-run.ts";
import { type RunHold, sizeHold } from "./size-hold.ts";

/*
 * The bound on what runs may cost a tenant nothing.
 *
 * A run that its tenant's doing ends uncharged has cost the operator something: that is added to the counters under which it was
 * admitted. A run that waits for a person counts the same while it waits, since nobody may ever decide on it. New runs are refused
 * while both together are above the bound. Every admission holds its worst case under the cap first, so that at the last one
 * charged + held is at most the cap and uncharged + waiting at most the bound; whatever the runs under way come to, they cost no
 * more than they hold. So the cost of a period is at most its cap and the bound, whatever runs at once.
 *
 * A paused run that goes on turns what it cost from waiting into held. It is refused where the cap and the bound together would be
 * passed, and where what has already ended uncharged is above the bound.
 */

const unchargedShareMax = 0.05;

/** The bound of a plan in a period: 5 % of its cap or one hold, whichever is more; undefined where there is no cap. */
export function cancelBound(capMicros: number | null, holdMicros: number): number | undefined {
  if (capMicros === null) return undefined;
  return Math.max(Math.floor(capMicros * unchargedShareMax), Math.min(capMicros, holdMicros));
}

/** An admission that may be refused for what earlier runs cost. */
export interface CancelCheck {
  tokensMax: number;
  rates: readonly (Rates | undefined)[];
  hold: RunHold;
  /** Whether it is a paused run that goes on. */
  isResumed: boolean;
  /** Seconds until the period ends. */
  secondsLeft: number;
}

/** What refuses a run by what its tenant's uncharged runs have cost; undefined: nothing. */
export function cancelRefusal(scopes: readonly LimitScope[], check: CancelCheck): AppError | undefined {
  const full = sizeHold(check.tokensMax, check.rates, undefined)?.micros ?? 0;
  for (const { plan, counter, waitingCostMicros } of scopes) {
    const cap = plan.creditCapPeriodMicros;
    const bound = cancelBound(cap, full);
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
    "Too many runs of this month cost something and were not charged: they were cancelled, timed out, ended at a limit of the agent, or wait for an approval.",
    {
      details: {
        hint: "Decide on waiting approvals, or wait for the next month. Raise timeout_seconds and max_iterations where runs end at them.",
        retryAfterSeconds: secondsLeft,
      },
    },
  );
}
