import { and, desc, eq, inArray, lte, or, type SQL } from "drizzle-orm";
import type { ReadQuery } from "../../../storage/storage.ts";
import type { Rates, RatesOf } from "../runs/price-run.ts";
import type { PlatformTables } from "../tables.ts";
import type { TariffTables } from "./schema.ts";

type TariffRow = TariffTables["tariffs"]["$inferSelect"];

/** The rates in force at an instant for these models; later tariffs don't touch a run that was admitted before. */
export async function ratesInForce(
  query: ReadQuery,
  { tariffs }: PlatformTables,
  models: readonly { provider: string; model: string }[],
  at: Date,
): Promise<RatesOf> {
  if (models.length === 0) return () => undefined;
  const byProvider = Map.groupBy(models, ({ provider }) => provider);
  const named: SQL | undefined = or(
    ...[...byProvider].map(([provider, of]) =>
      and(eq(tariffs.provider, provider), inArray(tariffs.model, [...new Set(of.map(({ model }) => model))])),
    ),
  );
  const rows = await query
    .select()
    .from(tariffs)
    .where(and(named, lte(tariffs.effectiveFrom, at)))
    .orderBy(desc(tariffs.effectiveFrom));
  const latest = new Map<string, Rates>();
  for (const row of rows) {
    const key = keyOf(row.provider, row.model);
    if (!latest.has(key)) latest.set(key, ratesOfRow(row));
  }
  return (provider, model) => latest.get(keyOf(provider, model));
}

function ratesOfRow(row: TariffRow): Rates {
  return {
    creditsIn: row.creditsPer1kIn,
    creditsOut: row.creditsPer1kOut,
    creditsCached: row.creditsPer1kCached ?? row.creditsPer1kIn,
    providerIn: row.providerCostPer1kIn ?? 0,
    providerOut: row.providerCostPer1kOut ?? 0,
    infraPerSecond: row.infraCostPerSecond ?? 0,
  };
}

const keyOf = (provider: string, model: string) => JSON.stringify([provider, model]);
