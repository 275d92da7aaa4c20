import { Fieldset, JsonInput, NumberInput, SimpleGrid, TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { PlanInput, PlanSpec } from "../../../../contracts/platform/plans.ts";
import { usePlatform } from "../../../api/use-server.tsx";
import { FormDialog } from "../../../parts/form-dialog.tsx";
import { MicrosInput } from "../../../parts/micros-input.tsx";
import { say } from "../../../parts/say.ts";
import { planTexts as texts } from "../../../texts/platform-money.ts";

const limits = {
  max_concurrency: texts.concurrency,
  max_rpm: texts.rpm,
  max_tokens_per_call: texts.callTokens,
  max_run_tokens: texts.runTokens,
  max_iterations: texts.iterations,
  max_active_agents: texts.agents,
} as const;

const prices = {
  min_fee_micros: texts.fee,
  activation_price_micros: texts.activation,
  included_credits_micros: texts.included,
  extra_credit_price_micros: texts.extra,
} as const;

const empty = {
  id: "",
  name: "",
  argo_code: "",
  max_concurrency: null,
  max_rpm: null,
  max_tokens_per_call: null,
  max_run_tokens: null,
  max_iterations: null,
  max_active_agents: null,
  credit_cap_period_micros: null as number | null,
  min_fee_micros: 0,
  activation_price_micros: 0,
  included_credits_micros: 0,
  extra_credit_price_micros: 0,
} as Omit<PlanInput, "spec" | "argo_code"> & { argo_code: string };

/** Makes a plan. */
export function PlanDialog({ close }: { close: () => void }) {
  const platform = usePlatform();
  const queries = useQueryClient();
  const [form, setForm] = useState(empty);
  const [spec, setSpec] = useState('{"unidades": {}, "features": {}}');
  const parsed = parseSpec(spec);
  return (
    <FormDialog
      title={texts.make}
      action={texts.make}
      size="lg"
      close={close}
      isComplete={parsed !== undefined}
      send={async () => {
        await platform.createPlan({
          ...form,
          argo_code: form.argo_code === "" ? null : form.argo_code,
          spec: parsed ?? { unidades: {}, features: {} },
        });
        await queries.invalidateQueries({ queryKey: ["platform", "plans"] });
        say(texts.made(form.name));
      }}
    >
      <SimpleGrid cols={{ base: 1, sm: 3 }}>
        <TextInput
          label={texts.id}
          description={texts.idHint}
          required
          value={form.id}
          onChange={(event) => setForm({ ...form, id: event.currentTarget.value })}
        />
        <TextInput
          label={texts.name}
          required
          value={form.name}
          onChange={(event) => setForm({ ...form, name: event.currentTarget.value })}
        />
        <TextInput
          label={texts.argo}
          description={texts.argoHint}
          value={form.argo_code}
          onChange={(event) => setForm({ ...form, argo_code: event.currentTarget.value })}
        />
      </SimpleGrid>
      <Fieldset legend={`${texts.limits}: ${texts.limitsHint}`}>
        <SimpleGrid cols={{ base: 1, xs: 2, sm: 3 }}>
          {(Object.keys(limits) as (keyof typeof limits)[]).map((name) => (
            <NumberInput
              key={name}
              label={limits[name]}
              min={0}
              max={1_000_000_000}
              allowDecimal={false}
              value={form[name] ?? ""}
              onChange={(value) => setForm({ ...form, [name]: typeof value === "number" ? value : null })}
            />
          ))}
          <MicrosInput
            label={texts.cap}
            value={form.credit_cap_period_micros}
            onChange={(value) => setForm({ ...form, credit_cap_period_micros: value })}
          />
        </SimpleGrid>
      </Fieldset>
      <Fieldset legend={texts.prices}>
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          {(Object.keys(prices) as (keyof typeof prices)[]).map((name) => (
            <MicrosInput
              key={name}
              label={prices[name]}
              required
              {...(name === "included_credits_micros" ? {} : { prefix: "$" })}
              value={form[name]}
              onChange={(value) => setForm({ ...form, [name]: value ?? 0 })}
            />
          ))}
        </SimpleGrid>
      </Fieldset>
      <JsonInput
        label={texts.spec}
        description={texts.specHint}
        autosize
        minRows={3}
        value={spec}
        onChange={setSpec}
        error={parsed === undefined ? texts.specFault : undefined}
      />
    </FormDialog>
  );
}

/** What is wrong inside of it the platform says. */
function parseSpec(text: string): PlanSpec | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as PlanSpec)
      : undefined;
  } catch {
    return undefined;
  }
}
