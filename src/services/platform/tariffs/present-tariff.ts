import type { Tariff } from "../../../contracts/platform/billing/tariffs.ts";
import { canonicalProvider } from "../../../engine/models/providers/registry.ts";
import { rateOf, type TariffTables } from "./schema.ts";

export function presentTariff(row: TariffTables["tariffs"]["$inferSelect"]): Tariff {
  return {
    id: row.id,
    provider: canonicalProvider(row.provider),
    model: row.model,
    effective_from: row.effectiveFrom.toISOString(),
    credits_per_1k_in_micros: rateOf(row, "creditsPer1kIn") ?? 0,
    credits_per_1k_out_micros: rateOf(row, "creditsPer1kOut") ?? 0,
    credits_per_1k_cached_in_micros: rateOf(row, "creditsPer1kCached"),
    provider_cost_per_1k_in_micros: rateOf(row, "providerCostPer1kIn"),
    provider_cost_per_1k_out_micros: rateOf(row, "providerCostPer1kOut"),
    provider_cost_per_1k_cached_in_micros: rateOf(row, "providerCostPer1kCached"),
    infra_cost_per_second_micros: row.infraCostPerSecond,
    own: row.own,
    created_at: row.createdAt.toISOString(),
  };
}
