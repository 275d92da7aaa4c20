import type { OrgLimits } from "../../../contracts/cloud/orgs.ts";
import { AppError } from "../../../kit/app-error.ts";

/** Limits of each plan by its name. `free` always exists. */
export type Plans = ReadonlyMap<string, OrgLimits>;

export const freePlan = "free";

const gib = 1024 ** 3;

export const builtinPlans: Plans = new Map([
  [freePlan, { max_agents: 5, requests_per_day: 1000, max_members: 3, max_storage_bytes: gib }],
  ["team", { max_agents: 50, requests_per_day: 20_000, max_members: 25, max_storage_bytes: 20 * gib }],
  [
    "business",
    { max_agents: 500, requests_per_day: 500_000, max_members: 250, max_storage_bytes: 200 * gib },
  ],
]);

/** Limits of a plan. An org whose plan no longer exists has those of `free`. */
export function limitsOf(plans: Plans, plan: string): OrgLimits {
  const limits = plans.get(plan) ?? plans.get(freePlan);
  if (limits === undefined) throw new AppError("internal", "plan_missing", "There is no plan named free.");
  return limits;
}
