import { Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { AdminTenant } from "../../../../contracts/platform/admin.ts";
import { usePlatform } from "../../../api/use-server.tsx";
import { FormDialog } from "../../../parts/form-dialog.tsx";
import { say } from "../../../parts/say.ts";
import { operatorTexts as texts } from "../../../texts/platform-runs.ts";
import { PlanSelect } from "../plan-select.tsx";

/** Changes a tenant's base plan. */
export function TenantPlanDialog({ tenant, close }: { tenant: AdminTenant; close: () => void }) {
  const platform = usePlatform();
  const queries = useQueryClient();
  const [plan, setPlan] = useState(tenant.plan.id);
  return (
    <FormDialog
      title={texts.changePlan}
      action={texts.changePlan}
      close={close}
      send={async () => {
        await platform.setTenantPlan(tenant.id, plan);
        await queries.invalidateQueries({ queryKey: ["platform"] });
        say(texts.planChanged);
      }}
    >
      <Text className="ar-soft">{texts.changePlanHint}</Text>
      <PlanSelect vertical={null} plan={plan} choose={setPlan} />
    </FormDialog>
  );
}
