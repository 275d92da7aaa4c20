import type { Tariff } from "../../../contracts/platform/billing/tariffs.ts";
import { canonicalProvider } from "../../../engine/models/providers/registry.ts";
import type { TariffTables } from "./schema.ts";

export function presentTariff(row: TariffTables["tariffs"]["$inferSelect"]): Tariff {
  return {
    id: row.id,
    provider: canonicalProvider(row.provider),
    model: row.model,
    effective_from: row.effectiveFrom.toISOString(),
    credits_per_1k_in_micros: row.creditsPer1kIn,
    credits_per_1k_out_micros: row.creditsPer1kOut,
    credits_per_1k_cached_in_micros: row.creditsPer1kCached,
    provider_cost_per_1k_in_micros: row.providerCostPer1kIn,
    provider_cost_per_1k_out_micros: row.providerCostPer1kOut,
    infra_cost_per_second_micros: row.infraCostPerSecond,
    own: row.own,
    created_at: row.createdAt.toISOString(),
  };
}
