import { ActionIcon, Button, TextInput } from "@mantine/core";
import type { ProviderPrice } from "../../../contracts/daemon/models/stored-providers.ts";
import { Icon } from "../../parts/icon.tsx";
import { enteredNumber, type NumberEntry } from "../../parts/inputs/number-entry.ts";
import { NumberField } from "../../parts/inputs/number-field.tsx";
import { providerTexts as texts } from "../../texts/studio/providers.ts";

/** The prices of one model: US dollars for a million tokens, kept as thousandths of that. */
export interface PriceRow {
  id: number;
  model: string;
  input: NumberEntry;
  output: NumberEntry;
  /** Prices that have no field here. */
  others: Omit<ProviderPrice, "in" | "out">;
}

/** A dollar for a million tokens is 1000 millionths for a thousand. */
const rules = { decimals: 3, scale: 3, min: 0, max: 1_000_000_000_000 };

export const pricesOf = (prices: Readonly<Record<string, ProviderPrice>>): PriceRow[] =>
  Object.entries(prices).map(([model, { in: input, out: output, ...others }], id) => ({
    id,
    model,
    input,
    output,
    others,
  }));

/** Returns the prices in the form of the API. Omits rows without a model. */
export function pricesToSend(rows: readonly PriceRow[]): Record<string, ProviderPrice> {
  const named = rows.filter(({ model }) => model.trim() !== "");
  return Object.fromEntries(
    named.map(({ model, input, output, others }) => [
      model.trim(),
      { ...others, in: enteredNumber(input) ?? 0, out: enteredNumber(output) ?? 0 },
    ]),
  );
}

/** The prices by model, each in a row of its own. */
export function PriceRows({
  prices,
  change,
}: {
  prices: readonly PriceRow[];
  change: (rows: PriceRow[]) => void;
}) {
  const set = (id: number, part: Partial<PriceRow>) =>
    change(prices.map((row) => (row.id === id ? { ...row, ...part } : row)));
  const nextId = 1 + Math.max(-1, ...prices.map(({ id }) => id));
  return (
    <fieldset className="ar-price-rows">
      <legend>{texts.prices}</legend>
      <p className="ar-soft ar-flat">{texts.pricesHint}</p>
      {prices.map(({ id, model, input, output }) => (
        <div key={id} className="ar-price-row">
          <TextInput
            label={texts.model}
            value={model}
            autoComplete="off"
            onChange={(event) => set(id, { model: event.currentTarget.value })}
          />
          <NumberField
            label={texts.priceIn}
            prefix="$"
            rules={rules}
            value={input}
            onChange={(value) => set(id, { input: value })}
          />
          <NumberField
            label={texts.priceOut}
            prefix="$"
            rules={rules}
            value={output}
            onChange={(value) => set(id, { output: value })}
          />
          <ActionIcon
            variant="default"
            size="lg"
            aria-label={texts.removePrice(model)}
            onClick={() => change(prices.filter((row) => row.id !== id))}
          >
            <Icon name="trash" />
          </ActionIcon>
        </div>
      ))}
      <Button
        size="xs"
        variant="default"
        leftSection={<Icon name="plus" size={14} />}
        onClick={() => change([...prices, { id: nextId, model: "", input: null, output: null, others: {} }])}
      >
        {texts.addPrice}
      </Button>
    </fieldset>
  );
}
