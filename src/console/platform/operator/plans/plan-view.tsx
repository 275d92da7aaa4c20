import type { Plan } from "../../../../contracts/platform/billing/plans.ts";
import { Facts } from "../../../parts/facts.tsx";
import { JsonView } from "../../../parts/json-view.tsx";
import { Panel } from "../../../parts/panel.tsx";
import { planTexts as texts } from "../../../texts/platform-money.ts";
import { planFacts } from "./plan-form.ts";

/** A plan with its limits and prices. */
export function PlanView({ plan }: { plan: Plan }) {
  const hasFeatures = Object.keys(plan.spec.features).length > 0;
  return (
    <Panel
      title={plan.name}
      actions={
        <span className="ar-soft">
          <span className="ar-mono">{plan.id}</span> · {plan.argo_code ?? texts.base}
        </span>
      }
    >
      <Facts facts={planFacts(plan)} />
      {hasFeatures && <JsonView value={plan.spec.features} label={texts.features} maxHeight={180} />}
    </Panel>
  );
}
