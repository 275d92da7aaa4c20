import { Select, Text } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { AdminTenant } from "../../../../contracts/platform/admin.ts";
import { usePlatform } from "../../../api/use-server.tsx";
import { FormDialog } from "../../../parts/form-dialog.tsx";
import { say } from "../../../parts/say.ts";
import { operatorTexts as texts } from "../../../texts/platform-runs.ts";

/** Puts a tenant under another base plan. */
export function TenantPlanDialog({ tenant, close }: { tenant: AdminTenant; close: () => void }) {
  const platform = usePlatform();
  const queries = useQueryClient();
  const plans = useQuery({ queryKey: ["platform", "plans"], queryFn: platform.listPlans });
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
      <Select
        label={texts.plan}
        required
        allowDeselect={false}
        data={(plans.data?.plans ?? [])
          .filter(({ argo_code }) => argo_code === null)
          .map(({ id, name }) => ({ value: id, label: `${name} (${id})` }))}
        value={plan}
        onChange={(value) => value !== null && setPlan(value)}
      />
    </FormDialog>
  );
}
