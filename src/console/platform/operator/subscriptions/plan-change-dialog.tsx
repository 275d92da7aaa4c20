import { Select, Text } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Subscription } from "../../../../contracts/platform/subscriptions.ts";
import { usePlatform } from "../../../api/use-server.tsx";
import { FormDialog } from "../../../parts/form-dialog.tsx";
import { say } from "../../../parts/say.ts";
import { subscriptionTexts as texts } from "../../../texts/platform-money.ts";

/** Schedules another plan of the same vertical for the next month. */
export function PlanChangeDialog({ subscription, close }: { subscription: Subscription; close: () => void }) {
  const platform = usePlatform();
  const queries = useQueryClient();
  const plans = useQuery({ queryKey: ["platform", "plans"], queryFn: platform.listPlans });
  const [plan, setPlan] = useState(subscription.next_plan_id ?? subscription.plan_id);
  return (
    <FormDialog
      title={texts.changeTitle(subscription.argo_code)}
      action={texts.change}
      close={close}
      send={async () => {
        await platform.scheduleSubscriptionPlan(subscription.id, plan);
        await queries.invalidateQueries({ queryKey: ["platform", "subscriptions"] });
        say(texts.changed);
      }}
    >
      <Text className="ar-soft">{texts.changeHint}</Text>
      <Select
        label={texts.plan}
        required
        allowDeselect={false}
        data={(plans.data?.plans ?? [])
          .filter(({ argo_code }) => argo_code === subscription.argo_code)
          .map(({ id, name }) => ({ value: id, label: `${name} (${id})` }))}
        value={plan}
        onChange={(value) => value !== null && setPlan(value)}
      />
    </FormDialog>
  );
}
