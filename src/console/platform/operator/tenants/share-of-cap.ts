import type { TenantCredits } from "../../../../contracts/platform/admin.ts";
import { creditLimit } from "../../../../contracts/platform/billing/credit-limit.ts";
import { formatPercent } from "../../../parts/text/format.ts";
import { operatorTexts as texts } from "../../../texts/platform/operator.ts";

/** Says which share of its plan's cap and grants a tenant has used, as the tenant's own page of usage does. */
export function shareOfCap(credits: TenantCredits): string {
  const limit = creditLimit(credits);
  return limit === null || limit === 0
    ? texts.noCap
    : texts.ofCap(formatPercent(credits.charged_micros / limit));
}
