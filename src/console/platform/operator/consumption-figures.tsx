import type { CostedConsumption } from "../../../contracts/platform/admin.ts";
import { usdTotalText } from "../../../contracts/platform/billing/printed-amounts.ts";
import { Figures } from "../../parts/figures.tsx";
import { formatCompact, formatCredits, formatNumber } from "../../parts/format.ts";
import { operatorTexts as texts } from "../../texts/platform-runs.ts";

/** Usage, charges, costs and margin of runs. */
export function ConsumptionFigures({ consumption }: { consumption: CostedConsumption }) {
  const { invocations, tokens_in, tokens_out, credits_charged_micros, ...costs } = consumption;
  return (
    <Figures
      figures={[
        { label: texts.runs, value: formatNumber(invocations) },
        {
          label: texts.tokens,
          value: formatCompact(tokens_in + tokens_out),
          note: texts.tokensNote(formatCompact(tokens_in), formatCompact(tokens_out)),
        },
        { label: texts.credits, value: formatCredits(credits_charged_micros) },
        { label: texts.revenue, value: usdTotalText(costs.revenue_micros), note: texts.revenueNote },
        { label: texts.providerCost, value: usdTotalText(costs.provider_cost_micros) },
        { label: texts.infraCost, value: usdTotalText(costs.infra_cost_micros) },
        { label: texts.margin, value: usdTotalText(costs.margin_micros), note: texts.marginNote },
        { label: texts.overrun, value: formatCredits(costs.overrun_micros), note: texts.overrunNote },
      ]}
    />
  );
}
