import { type Static, Type } from "@sinclair/typebox";
import { OneLine } from "../shown-name.ts";
import { Instant, Micros, Month } from "./fields.ts";
import { microsMax } from "./micros.ts";

/** A price per 1000 tokens. `file-tariff.ts` refuses more than three decimals. */
const Rate = (description: string) =>
  Type.Number({ minimum: 0, maximum: microsMax, description: `${description} At most 3 decimals.` });
const optionalRate = (description: string) => Type.Optional(Type.Union([Rate(description), Type.Null()]));

/** Prices of a model's tokens in credits, from an instant on. Rates are micros of a credit per 1000 tokens; costs are micros of USD. */
export const TariffInput = Type.Object(
  {
    provider: OneLine(63),
    model: OneLine(255),
    effective_from: Type.Optional(Instant),
    credits_per_1k_in_micros: Rate("Price per 1000 input tokens, in micros of a credit."),
    credits_per_1k_out_micros: Rate("Price per 1000 output tokens, in micros of a credit."),
    credits_per_1k_cached_in_micros: optionalRate(
      "Price per 1000 cached input tokens, in micros of a credit. Default: `credits_per_1k_in_micros`.",
    ),
    provider_cost_per_1k_in_micros: optionalRate("Provider cost per 1000 input tokens, in micros of USD."),
    provider_cost_per_1k_out_micros: optionalRate("Provider cost per 1000 output tokens, in micros of USD."),
    provider_cost_per_1k_cached_in_micros: optionalRate(
      "Provider cost per 1000 cached input tokens, in micros of USD. Default: what the engine knows of the calls, else the cost of input tokens.",
    ),
    infra_cost_per_second_micros: Type.Optional(
      Type.Union([
        Micros("Infrastructure cost per second of a run on the operator's own machines, in micros of USD."),
        Type.Null(),
      ]),
    ),
    own: Type.Optional(
      Type.Boolean({ description: "True if the model runs on the operator's own machines.", default: false }),
    ),
  },
  { additionalProperties: false },
);
export type TariffInput = Static<typeof TariffInput>;

const nullableRate = Type.Union([Type.Number(), Type.Null()]);

export const Tariff = Type.Object({
  id: Type.String(),
  provider: Type.String(),
  model: Type.String(),
  effective_from: Type.String(),
  credits_per_1k_in_micros: Type.Number(),
  credits_per_1k_out_micros: Type.Number(),
  credits_per_1k_cached_in_micros: nullableRate,
  provider_cost_per_1k_in_micros: nullableRate,
  provider_cost_per_1k_out_micros: nullableRate,
  provider_cost_per_1k_cached_in_micros: nullableRate,
  infra_cost_per_second_micros: Type.Union([Type.Integer(), Type.Null()]),
  own: Type.Boolean(),
  created_at: Type.String(),
});
export type Tariff = Static<typeof Tariff>;

/** A model's price at its provider, in micros of USD per 1000 tokens, with at most three decimals. */
export const ModelCost = Type.Object({
  in: Type.Number(),
  out: Type.Number(),
  cached_in: Type.Union([Type.Number(), Type.Null()]),
});
export type ModelCost = Static<typeof ModelCost>;

/** A provider's model that occurs in runs, live agents or tariffs. */
export const KnownModel = Type.Object({
  provider: Type.String(),
  model: Type.String(),
  has_tariff: Type.Boolean({ description: "True if a tariff is currently in force." }),
  known_cost: Type.Union([ModelCost, Type.Null()], {
    description: "Price at the provider, of providers.yaml or prices.yaml. Null if none is known.",
  }),
});
export type KnownModel = Static<typeof KnownModel>;

export const KnownModelList = Type.Object({
  providers: Type.Array(Type.String(), {
    description: "Provider names that a tariff can use, sorted by name.",
  }),
  models: Type.Array(KnownModel, { description: "Models sorted by provider and name." }),
});
export type KnownModelList = Static<typeof KnownModelList>;

export const TariffList = Type.Object({ tariffs: Type.Array(Tariff) });
export type TariffList = Static<typeof TariffList>;

export const RerateInput = Type.Object(
  {
    period: Type.Optional(Month),
    tenant_id: Type.Optional(Type.String({ maxLength: 64 })),
    dry_run: Type.Boolean({ description: "True to return what would be charged, without a change." }),
  },
  { additionalProperties: false },
);
export type RerateInput = Static<typeof RerateInput>;

/** Runs that were unpriced and are priced by tariffs stored since, by tenant and month. */
export const Rerated = Type.Object({
  dry_run: Type.Boolean(),
  tenants: Type.Array(
    Type.Object({
      tenant_id: Type.String(),
      tenant_name: Type.String(),
      period: Month,
      invocations: Type.Integer(),
      credits_micros: Type.Integer({ description: "Credits charged in addition, at most up to the caps." }),
    }),
  ),
});
export type Rerated = Static<typeof Rerated>;
