import { Select, TextInput } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Plan } from "../../../../contracts/platform/billing/plans.ts";
import { FormDialog } from "../../../parts/dialogs/form-dialog.tsx";
import { Review } from "../../../parts/dialogs/review.tsx";
import { notify } from "../../../parts/notices.tsx";
import { Loaded } from "../../../parts/states/loaded.tsx";
import { usdText } from "../../../parts/text/money.ts";
import { planTexts, subscriptionTexts as texts } from "../../../texts/platform/billing.ts";
import { usePlatform } from "../../use-platform.ts";
import { planExample, planFacts } from "../plans/plan-form.ts";
import { TenantSelect } from "../tenant-select.tsx";

/** Starts a tenant's subscription to a vertical. */
export function NewSubscriptionDialog({ tenant, close }: { tenant: string; close: () => void }) {
  const platform = usePlatform();
  const queries = useQueryClient();
  const plans = useQuery({ queryKey: ["platform", "plans"], queryFn: platform.listPlans });
  const offered = (plans.data?.plans ?? []).filter(({ argo_code }) => argo_code !== null);
  const [form, setForm] = useState({ tenant, plan: "", desde: new Date().toISOString().slice(0, 10) });
  const chosen = offered.find(({ id }) => id === form.plan);
  return (
    <FormDialog
      title={texts.begin}
      action={texts.begin}
      close={close}
      isComplete={form.plan !== "" && form.tenant !== "" && form.desde !== ""}
      review={() => <NewSubscriptionReview tenantId={form.tenant} plan={chosen} desde={form.desde} />}
      send={async () => {
        await platform.createSubscription({
          tenant_id: form.tenant,
          argo_code: chosen?.argo_code ?? "",
          plan_id: form.plan,
          desde: form.desde,
        });
        await queries.invalidateQueries({ queryKey: ["platform"] });
        notify(texts.begun);
      }}
    >
      <TenantSelect
        label={texts.tenant}
        required
        value={form.tenant}
        choose={(tenantId) => setForm((now) => ({ ...now, tenant: tenantId }))}
      />
      <Select
        label={texts.plan}
        required
        searchable
        data={offered.map(({ id, name, argo_code }) => ({
          value: id,
          label: `${argo_code}: ${name} (${id})`,
        }))}
        value={form.plan === "" ? null : form.plan}
        onChange={(value) => setForm({ ...form, plan: value ?? "" })}
      />
      <TextInput
        type="date"
        label={texts.day}
        required
        value={form.desde}
        onChange={(event) => setForm({ ...form, desde: event.currentTarget.value })}
      />
    </FormDialog>
  );
}

interface NewSubscriptionReviewProps {
  tenantId: string;
  plan: Plan | undefined;
  desde: string;
}

/** The review: the tenant's name, and the plan with every amount. The first day and its charge cannot be changed later. */
function NewSubscriptionReview({ tenantId, plan, desde }: NewSubscriptionReviewProps) {
  const platform = usePlatform();
  const { data } = useQuery({
    queryKey: ["platform", "admin", "tenant-names", "chosen", tenantId],
    queryFn: () => platform.searchTenants({ search: tenantId, limit: 1 }),
  });
  const input = { tenant_id: tenantId, argo_code: plan?.argo_code ?? "", plan_id: plan?.id ?? "", desde };
  const past = useQuery({
    queryKey: ["platform", "subscriptions", "preview", input],
    queryFn: () => platform.previewSubscription(input),
    enabled: plan !== undefined,
  });
  if (plan === undefined) return null;
  return (
    <Loaded query={past}>
      {({ months, total_micros }) => (
        <Review
          hint={months.length === 0 ? texts.reviewHint : texts.pastHint(usdText(total_micros), months.length)}
          facts={[
            { label: texts.tenant, value: data?.tenants[0]?.display_name ?? tenantId },
            { label: texts.plan, value: `${plan.name} (${plan.id})` },
            { label: texts.argo, value: plan.argo_code ?? "" },
            { label: texts.day, value: desde },
            ...months.flatMap(({ period, charges }) =>
              charges.map(({ description, amount_micros }) => ({
                label: period,
                value: texts.pastCharge(description, usdText(amount_micros)),
              })),
            ),
            ...planFacts(plan),
          ]}
          example={{ title: planTexts.exampleTitle, lines: planExample(plan) }}
        />
      )}
    </Loaded>
  );
}
