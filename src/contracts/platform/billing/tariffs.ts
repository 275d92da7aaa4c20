import { type Static, Type } from "@sinclair/typebox";
import { OneLine } from "../shown-name.ts";
import { Instant, Micros } from "./micros.ts";

const optionalMicros = (description: string) => Type.Optional(Type.Union([Micros(description), Type.Null()]));

/** Prices of a model's tokens in credits, from an instant on. Rates are micros of a credit per 1000 tokens; costs are micros of USD. */
export const TariffInput = Type.Object(
  {
    provider: OneLine(63),
    model: OneLine(255),
    effective_from: Type.Optional(Instant),
    credits_per_1k_in_micros: Micros("Of input tokens."),
    credits_per_1k_out_micros: Micros("Of output tokens."),
    credits_per_1k_cached_in_micros: optionalMicros("Of input tokens read from a cache; absent: as `in`."),
    provider_cost_per_1k_in_micros: optionalMicros("What the provider charges for input."),
    provider_cost_per_1k_out_micros: optionalMicros("What the provider charges for output."),
    infra_cost_per_second_micros: optionalMicros("What a second of a run costs on own machines."),
    own: Type.Optional(
      Type.Boolean({ description: "Whether the model runs on own machines.", default: false }),
    ),
  },
  { additionalProperties: false },
);
export type TariffInput = Static<typeof TariffInput>;

const nullableMicros = Type.Union([Type.Integer(), Type.Null()]);

export const Tariff = Type.Object({
  id: Type.String(),
  provider: Type.String(),
  model: Type.String(),
  effective_from: Type.String(),
  credits_per_1k_in_micros: Type.Integer(),
  credits_per_1k_out_micros: Type.Integer(),
  credits_per_1k_cached_in_micros: nullableMicros,
  provider_cost_per_1k_in_micros: nullableMicros,
  provider_cost_per_1k_out_micros: nullableMicros,
  infra_cost_per_second_micros: nullableMicros,
  own: Type.Boolean(),
  created_at: Type.String(),
});
export type Tariff = Static<typeof Tariff>;

/** A provider's model that occurs in runs, live agents or tariffs. */
export const KnownModel = Type.Object({
  provider: Type.String(),
  model: Type.String(),
  has_tariff: Type.Boolean({ description: "Whether a tariff is in force now." }),
});
export type KnownModel = Static<typeof KnownModel>;

export const KnownModelList = Type.Object({
  providers: Type.Array(Type.String(), { description: "Names that a tariff can have, by name." }),
  models: Type.Array(KnownModel, { description: "By provider and name." }),
});
export type KnownModelList = Static<typeof KnownModelList>;

export const TariffList = Type.Object({ tariffs: Type.Array(Tariff) });
export type TariffList = Static<typeof TariffList>;
