import { useQuery } from "@tanstack/react-query";
import type { CostedConsumption } from "../../../contracts/platform/admin.ts";
import { Figures } from "../../parts/layout/figures.tsx";
import { formatCompact, formatNumber } from "../../parts/text/format.ts";
import { creditsText, usdFigureText } from "../../parts/text/money.ts";
import { operatorTexts as texts } from "../../texts/platform/operator.ts";
import { usePlatform } from "../use-platform.ts";
import { costFigure, marginFigure } from "./cost-text.ts";

/** Usage of all tenants in a month; the current month by default. */
export function usePlatformUsage(month?: string) {
  const platform = usePlatform();
  return useQuery({
    queryKey: ["platform", "admin", "usage", month ?? ""],
    queryFn: () => platform.platformUsage(month),
  });
}

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
        { label: texts.credits, value: creditsText(credits_charged_micros) },
        { label: texts.revenue, value: usdFigureText(costs.revenue_micros), note: texts.revenueNote },
        { label: texts.providerCost, value: costFigure(costs), note: costNote(costs) },
        { label: texts.infraCost, value: usdFigureText(costs.infra_cost_micros) },
        { label: texts.margin, value: marginFigure(costs.margin_micros), note: texts.marginNote },
        { label: texts.overrun, value: creditsText(costs.overrun_micros), note: texts.overrunNote },
      ]}
    />
  );
}

const costNote = ({ unknown_cost_invocations: runs }: Pick<CostedConsumption, "unknown_cost_invocations">) =>
  runs === 0 ? undefined : texts.unknownNote(runs);
