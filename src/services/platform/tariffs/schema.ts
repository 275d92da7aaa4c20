import type { Columns } from "../../../storage/tables/columns.ts";

/** Prices of a model's tokens in credits, and their cost to the operator, from an instant on. Never changed. */
export const tariffTables = ({ table, id, text, instant, money, json, flag, index, unique }: Columns) => ({
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
      /** Null: see `priceRun`. */
      providerCostPer1kCached: money("provider_cost_per_1k_cached_in_micros"),
      /** Thousandths of a micro that rates per 1000 tokens have beyond their whole micros; null if none has any. */
      thousandths: json<Partial<Record<RateName, number>>>("rate_thousandths"),
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

/** Columns of rates per 1000 tokens. */
export type RateName =
  | "creditsPer1kIn"
  | "creditsPer1kOut"
  | "creditsPer1kCached"
  | "providerCostPer1kIn"
  | "providerCostPer1kOut"
  | "providerCostPer1kCached";

type StoredRates = Record<RateName, number | null> & {
  thousandths: Partial<Record<RateName, number>> | null;
};

/** Returns a rate in micros per 1000 tokens, with at most three decimals. */
export function rateOf(row: StoredRates, name: RateName): number | null {
  const whole = row[name];
  return whole === null ? null : (whole * 1000 + (row.thousandths?.[name] ?? 0)) / 1000;
}

/** Returns the columns of some rates. */
export function ratesRow<Rates extends Record<RateName, number | null>>(
  rates: Rates,
): Rates & { thousandths: Partial<Record<RateName, number>> | null } {
  const scaled = Object.entries(rates).flatMap(([name, rate]) =>
    rate === null ? [] : [[name, Math.round(rate * 1000)] as const],
  );
  const thousandths = scaled
    .map(([name, each]) => [name, each % 1000] as const)
    .filter(([, rest]) => rest > 0);
  const whole = Object.fromEntries(scaled.map(([name, each]) => [name, Math.floor(each / 1000)]));
  return {
    ...rates,
    ...whole,
    thousandths: thousandths.length === 0 ? null : Object.fromEntries(thousandths),
  };
}
