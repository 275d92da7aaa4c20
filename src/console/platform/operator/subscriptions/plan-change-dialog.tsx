import { Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Subscription } from "../../../../contracts/platform/billing/subscriptions.ts";
import { usePlatform } from "../../../api/use-server.tsx";
import { FormDialog } from "../../../parts/form-dialog.tsx";
import { say } from "../../../parts/say.ts";
import { subscriptionTexts as texts } from "../../../texts/platform-money.ts";
import { PlanSelect } from "../plan-select.tsx";

/** Schedules another plan of the same vertical for the next month. */
export function PlanChangeDialog({ subscription, close }: { subscription: Subscription; close: () => void }) {
  const platform = usePlatform();
  const queries = useQueryClient();
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
      <PlanSelect vertical={subscription.argo_code} plan={plan} choose={setPlan} />
    </FormDialog>
  );
}
