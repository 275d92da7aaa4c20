import type { Org } from "../../../contracts/cloud/orgs.ts";
import type { OrgRow } from "../access/find-actor.ts";
import { limitsOf, type Plans } from "../access/plans.ts";

/** An org as its members see it. */
export const presentOrg = (
  { plans }: { plans: Plans },
  { slug, displayName, plan }: Omit<OrgRow, "id">,
): Org => ({ slug, display_name: displayName, plan, limits: limitsOf(plans, plan) });
