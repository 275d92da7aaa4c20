import { and, desc, lte, sql } from "drizzle-orm";
import { canonicalProvider } from "../../../engine/models/providers/registry.ts";
import { equalsBound, statement } from "../../../storage/statement.ts";
import type { ReadQuery } from "../../../storage/storage.ts";
import type { PlatformTables } from "../tables.ts";
import type { Rates, RatesOf } from "./price-run.ts";
import { providerKey } from "./provider-key.ts";
import { type RateName, rateOf, type TariffTables } from "./schema.ts";

type TariffRow = TariffTables["tariffs"]["$inferSelect"];

/**
 * Returns the rates in force at an instant for these models; later tariffs don't affect a run admitted before. With `filedBy`, uses only
 * tariffs stored by then, which gives the rates a run was priced with, regardless of tariffs added later for the past.
 */
export async function ratesInForce(
  query: ReadQuery,
  tables: PlatformTables,
  models: readonly { provider: string; model: string }[],
  at: Date,
  filedBy: Date = endOfTime,
): Promise<RatesOf> {
  if (models.length === 0) return () => undefined;
  const distinct = new Map(
    models.map(({ provider, model }) => [
      keyOf(provider, model),
      { provider: canonicalProvider(provider), model },
    ]),
  );
  const rates = new Map<string, Rates>();
  for (const [key, named] of distinct) {
    const [row] = await tariffInForce(query, tables).execute({ ...named, at, filedBy });
    if (row !== undefined) rates.set(key, ratesOfRow(row));
  }
  return (provider, model) => rates.get(keyOf(provider, model));
}

const endOfTime = new Date("9999-12-31T00:00:00.000Z");

const tariffInForce = statement((query: ReadQuery, { tariffs }: PlatformTables) =>
  query
    .select()
    .from(tariffs)
    .where(
      and(
        sql`${providerKey(tariffs.provider)} in (${sql.placeholder("provider")})`,
        equalsBound(tariffs.model, "model"),
        lte(tariffs.effectiveFrom, sql.param(sql.placeholder("at"), tariffs.effectiveFrom)),
        lte(tariffs.createdAt, sql.param(sql.placeholder("filedBy"), tariffs.createdAt)),
      ),
    )
    .orderBy(desc(tariffs.effectiveFrom), desc(tariffs.createdAt))
    .limit(1)
    .prepare("platform_tariff_in_force"),
);

function ratesOfRow(row: TariffRow): Rates {
  const rate = (name: RateName) => rateOf(row, name) ?? undefined;
  const [creditsIn, creditsOut] = [rate("creditsPer1kIn") ?? 0, rate("creditsPer1kOut") ?? 0];
  return {
    creditsIn,
    creditsOut,
    creditsCached: rate("creditsPer1kCached") ?? creditsIn,
    providerIn: rate("providerCostPer1kIn"),
    providerOut: rate("providerCostPer1kOut"),
    providerCached: rate("providerCostPer1kCached"),
    infraPerSecond: row.infraCostPerSecond ?? 0,
  };
}

const keyOf = (provider: string, model: string) => JSON.stringify([canonicalProvider(provider), model]);
