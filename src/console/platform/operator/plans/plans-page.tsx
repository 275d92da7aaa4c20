import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { usePlatform } from "../../../api/use-server.tsx";
import { EmptyState } from "../../../parts/empty-state.tsx";
import { Loaded } from "../../../parts/loaded.tsx";
import { PageHead } from "../../../parts/page-head.tsx";
import { planTexts as texts } from "../../../texts/platform-money.ts";
import { PlanDialog } from "./plan-dialog.tsx";
import { PlanView } from "./plan-view.tsx";

export default function PlansPage() {
  const platform = usePlatform();
  const query = useQuery({ queryKey: ["platform", "plans"], queryFn: platform.listPlans });
  const [isMaking, setMaking] = useState(false);
  return (
    <>
      <PageHead title={texts.title} lead={texts.lead}>
        <Button onClick={() => setMaking(true)}>{texts.make}</Button>
      </PageHead>
      <Loaded query={query}>
        {({ plans }) =>
          plans.length === 0 ? (
            <EmptyState text={texts.none} />
          ) : (
            <div className="ar-columns">
              {plans.map((plan) => (
                <PlanView key={plan.id} plan={plan} />
              ))}
            </div>
          )
        }
      </Loaded>
      {isMaking && <PlanDialog close={() => setMaking(false)} />}
    </>
  );
}
