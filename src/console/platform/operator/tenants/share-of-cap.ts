import type { TenantCredits } from "../../../../contracts/platform/admin.ts";
import { formatPercent } from "../../../parts/text/format.ts";
import { operatorTexts as texts } from "../../../texts/platform/operator.ts";

/** Says which share of the credits of its plan a tenant has used, as the tenant's own page of usage does. */
export const shareOfCap = ({
  charged_micros: charged,
  cap_micros: cap,
}: Pick<TenantCredits, "charged_micros" | "cap_micros">): string =>
  cap === null || cap === 0 ? texts.noCap : texts.ofCap(formatPercent(charged / cap));
