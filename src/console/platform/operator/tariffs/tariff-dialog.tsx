import { Checkbox, SimpleGrid, TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { ModelCost } from "../../../../contracts/platform/billing/tariffs.ts";
import { FormDialog } from "../../../parts/dialogs/form-dialog.tsx";
import { Review } from "../../../parts/dialogs/review.tsx";
import { MicrosInput, RateInput } from "../../../parts/inputs/micros-input.tsx";
import type { NumberEntry } from "../../../parts/inputs/number-entry.ts";
import { notify } from "../../../parts/notices.tsx";
import { tariffTexts as texts } from "../../../texts/platform/billing.ts";
import { usePlatform } from "../../use-platform.ts";
import { ModelSelects } from "./model-selects.tsx";
import {
  emptyTariff,
  isCompleteTariff,
  knownCosts,
  type TariffAmount,
  tariffExample,
  tariffFacts,
  tariffOf,
} from "./tariff-form.ts";

interface TariffDialogProps {
  /** The model to begin with. */
  begun?: { provider: string; model: string; cost: ModelCost | null };
  close: () => void;
}

/** Creates a model's tariff from an instant on, after a review. */
export function TariffDialog({ begun, close }: TariffDialogProps) {
  const platform = usePlatform();
  const queries = useQueryClient();
  const [form, setForm] = useState({
    ...emptyTariff,
    ...(begun && { provider: begun.provider, model: begun.model, ...knownCosts(begun.cost) }),
  });
  const [cost, setCost] = useState(begun?.cost ?? null);
  const amount = (name: TariffAmount) => ({
    label: texts[name],
    value: form[name],
    onChange: (value: NumberEntry) => setForm((now) => ({ ...now, [name]: value })),
  });
  return (
    <FormDialog
      title={texts.file}
      action={texts.store}
      size="lg"
      close={close}
      isComplete={isCompleteTariff(form)}
      review={() => {
        const { charged, costs } = tariffExample(tariffOf(form));
        return (
          <Review
            hint={texts.reviewHint}
            facts={tariffFacts(tariffOf(form))}
            example={{
              title: texts.exampleTitle,
              lines: [
                texts.exampleCharged(charged),
                ...(costs === undefined ? [] : [texts.exampleCosts(costs)]),
              ],
            }}
          />
        );
      }}
      send={async () => {
        await platform.fileTariff(tariffOf(form));
        await queries.invalidateQueries({ queryKey: ["platform"] });
        notify(texts.filed(form.model));
      }}
    >
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <ModelSelects
          provider={form.provider}
          model={form.model}
          choose={({ cost: known, ...chosen }) => {
            setCost(known);
            setForm((now) => ({ ...now, ...chosen, ...knownCosts(known) }));
          }}
        />
        <RateInput {...amount("creditsIn")} required />
        <RateInput {...amount("creditsOut")} required />
        <RateInput {...amount("creditsCached")} description={texts.cachedHint} />
        <TextInput
          type="datetime-local"
          label={texts.from}
          description={texts.fromHint}
          value={form.from}
          onChange={(event) => setForm({ ...form, from: event.currentTarget.value })}
        />
        <RateInput {...amount("costIn")} {...(cost && { description: texts.knownCost })} prefix="$" />
        <RateInput {...amount("costOut")} prefix="$" />
        <RateInput {...amount("costCached")} description={texts.costCachedHint} prefix="$" />
        <MicrosInput {...amount("infra")} prefix="$" />
      </SimpleGrid>
      <Checkbox
        label={texts.own}
        checked={form.own}
        onChange={(event) => setForm({ ...form, own: event.currentTarget.checked })}
      />
    </FormDialog>
  );
}
