import type { ModelCost } from "../../contracts/platform/billing/tariffs.ts";
import { findProviderKind } from "../../engine/models/providers/registry.ts";
import { configuredPrice, tablePrice } from "../../engine/spending/price-table.ts";
import type { Config } from "../settings/config.ts";

/** Returns what a model costs at its provider by providers.yaml and prices.yaml; null if they don't say. */
export const modelCosts =
  ({ providers: { providers }, prices }: Pick<Config, "providers" | "prices">) =>
  (provider: string, model: string): ModelCost | null => {
    const entry = Object.hasOwn(providers, provider) ? providers[provider] : undefined;
    const kind = findProviderKind(entry?.type ?? provider);
    const endpoint = entry?.endpoint ?? kind?.defaultEndpoint;
    const price =
      configuredPrice(providers, provider, model) ??
      // The price of short requests, for models that charge more for long ones.
      tablePrice(prices, { ...(endpoint !== undefined && { endpoint }), model, contextWindow: 0 });
    if (price === undefined) return null;
    const cached = price.cached;
    return {
      in: rate(price.in),
      out: rate(price.out),
      cached_in: cached === undefined ? null : rate(cached),
    };
  };

/** Rates of tariffs have three decimals. */
const rate = (micros: number): number => Math.round(micros * 1000) / 1000;
