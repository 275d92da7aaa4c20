import { featureProblems } from "../../../contracts/platform/billing/plan-features.ts";
import type { PlanInput } from "../../../contracts/platform/billing/plans.ts";
import { AppError, type Problem } from "../../../kit/app-error.ts";

/** Maximum cost of a month's extra credits in micros, so every sum in a statement can be represented exactly. */
const extraMicrosMax = 1_000_000_000_000_000n;

/** Number of credits assumed for a month without a cap: ten million. */
const uncappedCreditsMicros = 10_000_000_000_000;

/** Refuses a plan whose bills could exceed exact numbers, or that has units without a subscription. */
export function requireBillable(plan: PlanInput): void {
  const problems: Problem[] = [];
  const credits = BigInt(plan.credit_cap_period_micros ?? uncappedCreditsMicros);
  if ((credits * BigInt(plan.extra_credit_price_micros)) / 1_000_000n > extraMicrosMax) {
    const message =
      "is too high for this cap: a month's extra credits could cost more than is billed exactly";
    problems.push({ path: "extra_credit_price_micros", message });
  }
  if ((plan.argo_code ?? null) === null && Object.keys(plan.spec.unidades).length > 0) {
    const message = "must be empty without argo_code: units are used by subscriptions";
    problems.push({ path: "spec.unidades", message });
  }
  problems.push(...featureProblems(plan.spec.features));
  const [first] = problems;
  if (first === undefined) return;
  throw new AppError("invalid", "invalid_request", `The body is not valid: ${first.path} ${first.message}.`, {
    details: { problems },
  });
}
