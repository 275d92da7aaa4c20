import type { Consumption, InvocationStatus } from "../../../../contracts/platform/observability.ts";
import { Figures } from "../../../parts/layout/figures.tsx";
import { SideScroll } from "../../../parts/layout/side-scroll.tsx";
import { formatCompact, formatNumber } from "../../../parts/text/format.ts";
import { creditsText } from "../../../parts/text/money.ts";
import { usageTexts as texts } from "../../../texts/platform/tenant-runs.ts";
import { InvocationBadge } from "../../invocation-badge.tsx";
import { ModelUsageTable } from "../../model-usage-table.tsx";

/** Usage and charges of runs, by status and by model. */
export function ConsumptionView({ consumption }: { consumption: Consumption }) {
  const { invocations, tokens_in, tokens_out, credits_charged_micros, by_status, by_model } = consumption;
  return (
    <>
      <Figures
        figures={[
          { label: texts.credits, value: creditsText(credits_charged_micros) },
          { label: texts.runs, value: formatNumber(invocations) },
          {
            label: texts.tokens,
            value: formatCompact(tokens_in + tokens_out),
            note: texts.inOut(formatNumber(tokens_in), formatNumber(tokens_out)),
          },
        ]}
      />
      {invocations > 0 && (
        <ul className="ar-tn-statuses" aria-label={texts.byStatus}>
          {Object.entries(by_status).map(([status, count]) => (
            <li key={status}>
              <InvocationBadge status={status as InvocationStatus} /> {formatNumber(count)}
            </li>
          ))}
        </ul>
      )}
      {by_model.length > 0 && (
        <SideScroll>
          <ModelUsageTable models={by_model} />
        </SideScroll>
      )}
    </>
  );
}
