import type { Tariff, TariffInput } from "../../contracts/platform/billing/tariffs.ts";
import { canonicalProvider } from "../../engine/models/providers/registry.ts";
import { canonicalJson } from "../../kit/json/canonical-json.ts";
import type { DeclaredTariff } from "../../manifest/files/platform-file.ts";
import { given, type Present, type WorkspaceKind } from "../workspace-kind.ts";

export const tariffType = "platform.tariff";

/** Name of a tariff: the model, and the instant from which it holds if the file says one. */
export function tariffName({ provider, model, effective_from }: DeclaredTariff): string {
  const from = effective_from === undefined ? "" : `@${new Date(effective_from).toISOString()}`;
  return `${canonicalProvider(provider)}/${model}${from}`;
}

export function tariffConfig({ effective_from, ...rates }: DeclaredTariff): Record<string, unknown> {
  return given({
    ...rates,
    provider: canonicalProvider(rates.provider),
    effective_from: effective_from && new Date(effective_from).toISOString(),
  });
}

const fromOf = (config: Readonly<Record<string, unknown>>): string | undefined =>
  typeof config.effective_from === "string" ? config.effective_from : undefined;

/** Prices of models. A tariff is never changed: other prices are a later tariff. */
export const tariffKind: WorkspaceKind = {
  type: tariffType,
  async observe({ operator }, named) {
    const instants = new Set(named.map(({ config }) => fromOf(config)));
    const inForce = new Map<string | undefined, Tariff[]>();
    for (const at of instants) inForce.set(at, (await operator.listTariffs(at)).tariffs);
    return named.flatMap(({ name, config }): Present[] => {
      const from = fromOf(config);
      const tariff = inForce
        .get(from)
        ?.find(({ provider, model }) => provider === config.provider && model === config.model);
      if (tariff === undefined) return [];
      const rates = ratesOf(tariff);
      const isOfInstant = from !== undefined && tariff.effective_from === from;
      const isEqual = canonicalJson(rates) === canonicalJson(ratesOf(config));
      // An earlier tariff with other prices holds until the declared instant: the declared one is still missing.
      if (from !== undefined && !isOfInstant && !isEqual) return [];
      return [
        {
          type: tariffType,
          name,
          id: tariff.id,
          config: { ...rates, ...(from !== undefined && { effective_from: from }) },
          masks: new Map(),
        },
      ];
    });
  },
  async create({ operator }, { config }) {
    await operator.fileTariff(config as unknown as TariffInput);
  },
  conflict: ({ name, config }) =>
    fromOf(config) === undefined
      ? undefined
      : {
          message: `The tariff ${name} exists with other prices, and tariffs can't be changed.`,
          hint: "Declare the new prices with a later effective_from.",
        },
  /** Without an instant, other prices hold from now on, as a new tariff. */
  async update({ operator }, { config }) {
    await operator.fileTariff(config as unknown as TariffInput);
  },
};

function ratesOf(tariff: object): Record<string, unknown> {
  const { id: _id, created_at: _created, effective_from: _from, ...rates } = tariff as Partial<Tariff>;
  return given(rates);
}
