import type { Columns } from "../../../storage/tables/columns.ts";

/** Prices of a model's tokens in credits, and their cost to the operator, from an instant on. Never changed. */
export const tariffTables = ({ table, id, text, instant, money, flag, index, unique }: Columns) => ({
  tariffs: table(
    "tariffs",
    {
      id: id("id").primaryKey(),
      provider: text("provider").notNull(),
      model: text("model").notNull(),
      effectiveFrom: instant("effective_from").notNull(),
      /** Credit micros per 1000 tokens. */
      creditsPer1kIn: money("credits_per_1k_in_micros").notNull(),
      creditsPer1kOut: money("credits_per_1k_out_micros").notNull(),
      /** Null for the same price as `in`. */
      creditsPer1kCached: money("credits_per_1k_cached_in_micros"),
      /** Micros of USD. */
      providerCostPer1kIn: money("provider_cost_per_1k_in_micros"),
      providerCostPer1kOut: money("provider_cost_per_1k_out_micros"),
      infraCostPerSecond: money("infra_cost_per_second_micros"),
      /** True if the model runs on the operator's own machines. */
      own: flag("own").notNull(),
      createdAt: instant("created_at").notNull(),
    },
    (tariff) => [
      unique("tariffs_instant").on(tariff.provider, tariff.model, tariff.effectiveFrom),
      // The provider is not in the index, because rows may contain an alias.
      index("tariffs_model").on(tariff.model, tariff.effectiveFrom),
    ],
  ),
});

export type TariffTables = ReturnType<typeof tariffTables>;
