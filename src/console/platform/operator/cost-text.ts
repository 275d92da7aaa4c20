import type { CostedSums } from "../../../contracts/platform/admin.ts";
import { usdTotalText } from "../../../contracts/platform/billing/printed-amounts.ts";
import { formatMicrosUsd } from "../../parts/text/format.ts";
import { operatorTexts as texts } from "../../texts/platform/operator.ts";

/** The known costs of runs, and that others are unknown. */
export function costText({
  provider_cost_micros: micros,
  unknown_cost_invocations: unknown,
}: Pick<CostedSums, "provider_cost_micros" | "unknown_cost_invocations">): string {
  if (unknown === 0) return usdTotalText(micros);
  return micros === 0 ? texts.unknown : texts.partlyUnknown(usdTotalText(micros));
}

export const marginText = (micros: number | null): string =>
  micros === null ? texts.unknown : usdTotalText(micros);

/** The costs of one run together. */
export const runCostText = (...micros: (number | null)[]): string =>
  micros.includes(null)
    ? texts.unknown
    : formatMicrosUsd(micros.reduce<number>((sum, each) => sum + (each ?? 0), 0));
