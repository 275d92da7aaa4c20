import { Fieldset, JsonInput, SimpleGrid, TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { documentFeatures, storageBytesMax } from "../../../../contracts/platform/billing/plan-features.ts";
import { FormDialog } from "../../../parts/dialogs/form-dialog.tsx";
import { Review } from "../../../parts/dialogs/review.tsx";
import { MicrosInput } from "../../../parts/inputs/micros-input.tsx";
import { NumberField } from "../../../parts/inputs/number-field.tsx";
import { notify } from "../../../parts/notices.tsx";
import { planTexts as texts } from "../../../texts/platform/billing.ts";
import { usePlatform } from "../../use-platform.ts";
import {
  documentNames,
  emptyPlan,
  isCompletePlan,
  limitNames,
  otherFeatures,
  type PlanForm,
  parseSpec,
  planDocuments,
  planExample,
  planFacts,
  planLimits,
  planOf,
  planPrices,
  priceNames,
  reservesAll,
} from "./plan-form.ts";
import { UnitsTable } from "./units-table.tsx";

const limitRules = { decimals: 0, min: 0, max: 1_000_000_000 };

/** Creates a plan after a review. `from` fills the form at first. */
export function PlanDialog({ from = emptyPlan, close }: { from?: PlanForm; close: () => void }) {
  const platform = usePlatform();
  const queries = useQueryClient();
  const [form, setForm] = useState(from);
  const set = (change: Partial<PlanForm>) => setForm((now) => ({ ...now, ...change }));
  return (
    <FormDialog
      title={texts.make}
      action={texts.store}
      size="lg"
      close={close}
      isComplete={isCompletePlan(form)}
      review={() => <PlanReview form={form} />}
      send={async () => {
        await platform.createPlan(planOf(form));
        await queries.invalidateQueries({ queryKey: ["platform", "plans"] });
        notify(texts.made(form.name));
      }}
    >
      <SimpleGrid cols={{ base: 1, sm: 3 }}>
        <TextInput
          label={texts.id}
          description={texts.idHint}
          required
          value={form.id}
          onChange={(event) => set({ id: event.currentTarget.value })}
        />
        <TextInput
          label={texts.name}
          required
          value={form.name}
          onChange={(event) => set({ name: event.currentTarget.value })}
        />
        <TextInput
          label={texts.argo}
          description={texts.argoHint}
          value={form.argo_code}
          onChange={(event) => set({ argo_code: event.currentTarget.value })}
        />
      </SimpleGrid>
      <Fieldset legend={`${texts.limits}: ${texts.limitsHint}`}>
        <SimpleGrid cols={{ base: 1, xs: 2, sm: 3 }}>
          {limitNames.map((name) => (
            <NumberField
              key={name}
              label={planLimits[name]}
              rules={limitRules}
              value={form[name]}
              onChange={(value) => set({ [name]: value })}
            />
          ))}
          {form.argo_code === "" &&
            documentNames.map((name) => (
              <NumberField
                key={name}
                label={planDocuments[name]}
                rules={{ ...limitRules, max: documentFeatures[name].max }}
                value={form[name]}
                onChange={(value) => set({ [name]: value })}
              />
            ))}
          {form.argo_code === "" && (
            <NumberField
              label={texts.storageMib}
              rules={{ ...limitRules, max: storageBytesMax / 1024 ** 2 }}
              value={form.storage_mib}
              onChange={(storage_mib) => set({ storage_mib })}
            />
          )}
          <MicrosInput
            label={texts.cap}
            value={form.credit_cap_period_micros}
            onChange={(value) => set({ credit_cap_period_micros: value })}
          />
        </SimpleGrid>
      </Fieldset>
      <Fieldset legend={texts.prices}>
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          {priceNames.map((name) => (
            <MicrosInput
              key={name}
              label={planPrices[name]}
              required
              {...(name === "included_credits_micros" ? {} : { prefix: "$" })}
              value={form[name]}
              onChange={(value) => set({ [name]: value })}
            />
          ))}
        </SimpleGrid>
      </Fieldset>
      {form.argo_code !== "" && (
        <UnitsTable vertical={form.argo_code} spec={form.spec} change={(spec) => set({ spec })} />
      )}
      <JsonInput
        label={texts.spec}
        description={texts.specHint}
        autosize
        minRows={3}
        value={form.spec}
        onChange={(spec) => set({ spec })}
        error={parseSpec(form.spec) === undefined ? texts.specFault : undefined}
      />
    </FormDialog>
  );
}

function PlanReview({ form }: { form: PlanForm }) {
  const plan = planOf(form);
  const features = otherFeatures(plan);
  return (
    <Review
      hint={reservesAll(plan) ? `${texts.reviewHint} ${texts.reservesAll}` : texts.reviewHint}
      facts={[
        { label: texts.id, value: plan.id },
        { label: texts.name, value: plan.name },
        { label: texts.argo, value: plan.argo_code ?? texts.base },
        ...planFacts(plan),
        ...(Object.keys(features).length === 0
          ? []
          : [{ label: texts.features, value: JSON.stringify(features) }]),
      ]}
      example={{ title: texts.exampleTitle, lines: planExample(plan) }}
    />
  );
}
