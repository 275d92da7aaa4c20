import type { ProvidersFile } from "../../manifest/providers-file.ts";
import type { Model } from "./model.ts";

/**
 * What a router compares prices by: 1000 tokens in and 1000 out, in micros of USD; undefined where providers.yaml gives no
 * price for the model.
 */
export function rankingPrice(providers: ProvidersFile["providers"], model: Model): number | undefined {
  const entry = Object.hasOwn(providers, model.provider) ? providers[model.provider] : undefined;
  const price = entry && Object.hasOwn(entry.prices, model.model) ? entry.prices[model.model] : undefined;
  return price && price.in + price.out;
}
