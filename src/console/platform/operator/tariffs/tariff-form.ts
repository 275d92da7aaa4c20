import type { ModelCost, TariffInput } from "../../../../contracts/platform/billing/tariffs.ts";
import { areReadable, enteredNumber, type NumberEntry } from "../../../parts/inputs/number-entry.ts";
import { formatInstant } from "../../../parts/text/format.ts";
import { creditsText, usdText } from "../../../parts/text/money.ts";
import { tariffTexts as texts } from "../../../texts/platform/billing.ts";

/** The content of the dialog for a new tariff. */
export interface TariffForm {
  provider: string;
  model: string;
  /** Value of a `datetime-local` field; "" means now. */
  from: string;
  creditsIn: NumberEntry;
  creditsOut: NumberEntry;
  creditsCached: NumberEntry;
  costIn: NumberEntry;
  costOut: NumberEntry;
  costCached: NumberEntry;
  infra: NumberEntry;
  own: boolean;
}

export type TariffAmount =
  | "creditsIn"
  | "creditsOut"
  | "creditsCached"
  | "costIn"
  | "costOut"
  | "costCached"
  | "infra";

export const emptyTariff: TariffForm = {
  provider: "",
  model: "",
  from: "",
  creditsIn: null,
  creditsOut: null,
  creditsCached: null,
  costIn: null,
  costOut: null,
  costCached: null,
  infra: null,
  own: false,
};

/** Fields of the provider's cost with the known price of a model. */
export const knownCosts = (
  cost: ModelCost | null,
): Pick<TariffForm, "costIn" | "costOut" | "costCached"> => ({
  costIn: cost === null ? null : thousandths(cost.in),
  costOut: cost === null ? null : thousandths(cost.out),
  costCached: cost === null || cost.cached_in === null ? null : thousandths(cost.cached_in),
});

const thousandths = (micros: number): number => Math.round(micros * 1000);

export const isCompleteTariff = (form: TariffForm): boolean =>
  form.provider !== "" &&
  form.model !== "" &&
  form.creditsIn !== null &&
  form.creditsOut !== null &&
  areReadable(Object.values(form));

/** Returns the tariff to send. Throws if the form is not complete. */
export function tariffOf(form: TariffForm): TariffInput {
  const [creditsIn, creditsOut] = [enteredRate(form.creditsIn), enteredRate(form.creditsOut)];
  if (creditsIn === null || creditsOut === null) throw new Error(texts.incomplete);
  return {
    provider: form.provider,
    model: form.model,
    credits_per_1k_in_micros: creditsIn,
    credits_per_1k_out_micros: creditsOut,
    credits_per_1k_cached_in_micros: enteredRate(form.creditsCached),
    provider_cost_per_1k_in_micros: enteredRate(form.costIn),
    provider_cost_per_1k_out_micros: enteredRate(form.costOut),
    provider_cost_per_1k_cached_in_micros: enteredRate(form.costCached),
    infra_cost_per_second_micros: enteredNumber(form.infra),
    own: form.own,
    ...(form.from === "" ? {} : { effective_from: new Date(form.from).toISOString() }),
  };
}

/** Rates are entered in thousandths of a micro. */
function enteredRate(entry: NumberEntry): number | null {
  const thousandths = enteredNumber(entry);
  return thousandths === null ? null : thousandths / 1000;
}

/** Returns the facts of a tariff, every amount in full. */
export function tariffFacts(tariff: TariffInput): { label: string; value: string }[] {
  const credits = (micros: number) => texts.creditsOf(creditsText(micros));
  const usd = (micros: number | null | undefined) =>
    micros === null || micros === undefined ? texts.notGiven : usdText(micros);
  const cached = tariff.credits_per_1k_cached_in_micros ?? null;
  return [
    { label: texts.provider, value: tariff.provider },
    { label: texts.model, value: tariff.model },
    {
      label: texts.from,
      value: tariff.effective_from === undefined ? texts.now : formatInstant(tariff.effective_from),
    },
    { label: texts.creditsIn, value: credits(tariff.credits_per_1k_in_micros) },
    { label: texts.creditsOut, value: credits(tariff.credits_per_1k_out_micros) },
    {
      label: texts.creditsCached,
      value: cached === null ? texts.asInput(credits(tariff.credits_per_1k_in_micros)) : credits(cached),
    },
    { label: texts.costIn, value: usd(tariff.provider_cost_per_1k_in_micros) },
    { label: texts.costOut, value: usd(tariff.provider_cost_per_1k_out_micros) },
    { label: texts.costCached, value: usd(tariff.provider_cost_per_1k_cached_in_micros) },
    { label: texts.infra, value: usd(tariff.infra_cost_per_second_micros) },
    { label: texts.own, value: tariff.own ? texts.yes : texts.no },
  ];
}

/** Computes an example by the tariff: a run of 10,000 tokens in and 2,000 out. */
export function tariffExample(tariff: TariffInput): { charged: string; costs: string | undefined } {
  const [thousandsIn, thousandsOut] = [10, 2];
  const sum = (input: number, output: number) =>
    Math.round((input * thousandsIn + output * thousandsOut) * 1000) / 1000;
  const { provider_cost_per_1k_in_micros: costIn, provider_cost_per_1k_out_micros: costOut } = tariff;
  const step = (count: number, price: string) => `${count} × ${price}`;
  const [rateIn, rateOut] = [tariff.credits_per_1k_in_micros, tariff.credits_per_1k_out_micros];
  return {
    charged: `${step(thousandsIn, creditsText(rateIn))} + ${step(thousandsOut, creditsText(rateOut))} = ${texts.creditsOf(creditsText(sum(rateIn, rateOut)))}`,
    costs:
      (costIn ?? null) === null && (costOut ?? null) === null
        ? undefined
        : `${step(thousandsIn, usdText(costIn ?? 0))} + ${step(thousandsOut, usdText(costOut ?? 0))} = ${usdText(sum(costIn ?? 0, costOut ?? 0))}`,
  };
}
