import { Select, TextInput } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { usePlatform } from "../../../api/use-server.tsx";
import { FormDialog } from "../../../parts/form-dialog.tsx";
import { say } from "../../../parts/say.ts";
import { subscriptionTexts as texts } from "../../../texts/platform-money.ts";

/** Begins a tenant's subscription to a vertical. */
export function BeginDialog({ tenant, close }: { tenant: string; close: () => void }) {
  const platform = usePlatform();
  const queries = useQueryClient();
  const plans = useQuery({ queryKey: ["platform", "plans"], queryFn: platform.listPlans });
  const offered = (plans.data?.plans ?? []).filter(({ argo_code }) => argo_code !== null);
  const [form, setForm] = useState({ tenant, plan: "", desde: new Date().toISOString().slice(0, 10) });
  return (
    <FormDialog
      title={texts.begin}
      action={texts.begin}
      close={close}
      isComplete={form.plan !== ""}
      send={async () => {
        const chosen = offered.find(({ id }) => id === form.plan);
        await platform.createSubscription({
          tenant_id: form.tenant.trim(),
          argo_code: chosen?.argo_code ?? "",
          plan_id: form.plan,
          desde: form.desde,
        });
        await queries.invalidateQueries({ queryKey: ["platform"] });
        say(texts.begun);
      }}
    >
      <TextInput
        label={texts.tenant}
        description={texts.tenantHint}
        required
        value={form.tenant}
        onChange={(event) => setForm({ ...form, tenant: event.currentTarget.value })}
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
