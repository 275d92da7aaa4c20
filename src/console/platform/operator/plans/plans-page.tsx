import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Plan } from "../../../../contracts/platform/billing/plans.ts";
import { Facts } from "../../../parts/layout/facts.tsx";
import { PageHeader } from "../../../parts/layout/page-header.tsx";
import { Panel } from "../../../parts/layout/panel.tsx";
import { EmptyState } from "../../../parts/states/empty-state.tsx";
import { Loaded } from "../../../parts/states/loaded.tsx";
import { JsonView } from "../../../parts/text/json-view.tsx";
import { planTexts as texts } from "../../../texts/platform/billing.ts";
import { usePlatform } from "../../use-platform.ts";
import { PlanDialog } from "./plan-dialog.tsx";
import { emptyPlan, otherFeatures, type PlanForm, planFacts, planLike } from "./plan-form.ts";

export default function PlansPage() {
  const platform = usePlatform();
  const query = useQuery({ queryKey: ["platform", "plans"], queryFn: platform.listPlans });
  const [from, setFrom] = useState<PlanForm>();
  return (
    <>
      <PageHeader title={texts.title} lead={texts.lead}>
        <Button onClick={() => setFrom(emptyPlan)}>{texts.make}</Button>
      </PageHeader>
      <Loaded query={query}>
        {({ plans }) =>
          plans.length === 0 ? (
            <EmptyState text={texts.none} />
          ) : (
            <div className="ar-columns">
              {plans.map((plan) => (
                <PlanView key={plan.id} plan={plan} copy={() => setFrom(planLike(plan))} />
              ))}
            </div>
          )
        }
      </Loaded>
      {from !== undefined && <PlanDialog from={from} close={() => setFrom(undefined)} />}
    </>
  );
}

/** A plan with its limits and prices. */
function PlanView({ plan, copy }: { plan: Plan; copy: () => void }) {
  const features = otherFeatures(plan);
  return (
    <Panel
      title={plan.name}
      actions={
        <>
          <span className="ar-soft">
            <span className="ar-mono">{plan.id}</span> · {plan.argo_code ?? texts.base}
          </span>
          <Button size="compact-xs" variant="default" aria-label={texts.copyOf(plan.name)} onClick={copy}>
            {texts.copy}
          </Button>
        </>
      }
    >
      <Facts facts={planFacts(plan)} />
      {Object.keys(features).length > 0 && (
        <JsonView value={features} label={texts.features} maxHeight={180} />
      )}
    </Panel>
  );
}
