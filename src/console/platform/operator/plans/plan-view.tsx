import type { Plan } from "../../../../contracts/platform/plans.ts";
import { Facts } from "../../../parts/facts.tsx";
import { formatCredits, formatMicrosUsd, formatNumber } from "../../../parts/format.ts";
import { JsonView } from "../../../parts/json-view.tsx";
import { Panel } from "../../../parts/panel.tsx";
import { planTexts as texts } from "../../../texts/platform-money.ts";

/** A plan with its limits and prices. */
export function PlanView({ plan }: { plan: Plan }) {
  const hasUnits = Object.keys(plan.spec.unidades).length > 0 || Object.keys(plan.spec.features).length > 0;
  return (
    <Panel
      title={plan.name}
      actions={
        <span className="ar-soft">
          <span className="ar-mono">{plan.id}</span> · {plan.argo_code ?? texts.base}
        </span>
      }
    >
      <Facts
        facts={[
          { label: texts.concurrency, value: limitOf(plan.max_concurrency) },
          { label: texts.rpm, value: limitOf(plan.max_rpm) },
          { label: texts.cap, value: limitOf(plan.credit_cap_period_micros, formatCredits) },
          { label: texts.callTokens, value: limitOf(plan.max_tokens_per_call) },
          { label: texts.runTokens, value: limitOf(plan.max_run_tokens) },
          { label: texts.iterations, value: limitOf(plan.max_iterations) },
          { label: texts.agents, value: limitOf(plan.max_active_agents) },
          { label: texts.fee, value: formatMicrosUsd(plan.min_fee_micros) },
          { label: texts.activation, value: formatMicrosUsd(plan.activation_price_micros) },
          { label: texts.included, value: formatCredits(plan.included_credits_micros) },
          { label: texts.extra, value: formatMicrosUsd(plan.extra_credit_price_micros) },
        ]}
      />
      {hasUnits && <JsonView value={plan.spec} label={texts.spec} maxHeight={180} />}
    </Panel>
  );
}

/** Null is no limit, and 0 lets nothing through. */
function limitOf(limit: number | null, format: (value: number) => string = formatNumber): string {
  if (limit === null) return texts.unlimited;
  return limit === 0 ? texts.blocked : format(limit);
}
