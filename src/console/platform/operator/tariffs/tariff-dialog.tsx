import { Checkbox, SimpleGrid, TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { TariffInput } from "../../../../contracts/platform/tariffs.ts";
import { usePlatform } from "../../../api/use-server.tsx";
import { FormDialog } from "../../../parts/form-dialog.tsx";
import { MicrosInput } from "../../../parts/micros-input.tsx";
import { say } from "../../../parts/say.ts";
import { tariffTexts as texts } from "../../../texts/platform-money.ts";

const empty = {
  provider: "",
  model: "",
  from: "",
  creditsIn: null as number | null,
  creditsOut: null as number | null,
  creditsCached: null as number | null,
  costIn: null as number | null,
  costOut: null as number | null,
  infra: null as number | null,
  own: false,
};

/** Files what a model's tokens cost from an instant on. */
export function TariffDialog({ close }: { close: () => void }) {
  const platform = usePlatform();
  const queries = useQueryClient();
  const [form, setForm] = useState(empty);
  const amount = (name: "creditsIn" | "creditsOut" | "creditsCached" | "costIn" | "costOut" | "infra") => ({
    label: texts[name],
    value: form[name],
    onChange: (value: number | null) => setForm({ ...form, [name]: value }),
  });
  return (
    <FormDialog
      title={texts.file}
      action={texts.file}
      size="lg"
      close={close}
      isComplete={form.creditsIn !== null && form.creditsOut !== null}
      send={async () => {
        await platform.fileTariff(tariffOf(form));
        await queries.invalidateQueries({ queryKey: ["platform"] });
        say(texts.filed(form.model));
      }}
    >
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <TextInput
          label={texts.provider}
          required
          value={form.provider}
          onChange={(event) => setForm({ ...form, provider: event.currentTarget.value })}
        />
        <TextInput
          label={texts.model}
          required
          value={form.model}
          onChange={(event) => setForm({ ...form, model: event.currentTarget.value })}
        />
        <MicrosInput {...amount("creditsIn")} required />
        <MicrosInput {...amount("creditsOut")} required />
        <MicrosInput {...amount("creditsCached")} description={texts.cachedHint} />
        <TextInput
          type="datetime-local"
          label={texts.from}
          description={texts.fromHint}
          value={form.from}
          onChange={(event) => setForm({ ...form, from: event.currentTarget.value })}
        />
        <MicrosInput {...amount("costIn")} prefix="$" />
        <MicrosInput {...amount("costOut")} prefix="$" />
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

function tariffOf(form: typeof empty): TariffInput {
  return {
    provider: form.provider,
    model: form.model,
    credits_per_1k_in_micros: form.creditsIn ?? 0,
    credits_per_1k_out_micros: form.creditsOut ?? 0,
    credits_per_1k_cached_in_micros: form.creditsCached,
    provider_cost_per_1k_in_micros: form.costIn,
    provider_cost_per_1k_out_micros: form.costOut,
    infra_cost_per_second_micros: form.infra,
    own: form.own,
    ...(form.from === "" ? {} : { effective_from: new Date(form.from).toISOString() }),
  };
}
