import type { PricesFile } from "../../manifest/files/prices-file.ts";
import type { ProvidersFile } from "../../manifest/files/providers-file.ts";
import type { Model } from "../models/model.ts";
import type { Price } from "../models/price.ts";

import shipped from "./prices.json" with { type: "json" };

/** Built-in table of public list prices, with the dates at which they were read. */
export const shippedPrices: PricesFile = shipped;

/** Suffix of a dated snapshot of a model, or of the alias of its latest one. */
const snapshot = /-(?:latest|\d{4}-\d{2}-\d{2}|\d{8})$/;

/**
 * The price of a model in a table; undefined if there is none. The called server decides which vendor's prices apply, so another server
 * with a vendor's protocol doesn't get that vendor's prices.
 */
export function tablePrice(
  { vendors }: PricesFile,
  { endpoint, model, contextWindow }: Pick<Model, "endpoint" | "model" | "contextWindow">,
): Price | undefined {
  const host = endpoint === undefined ? undefined : URL.parse(endpoint)?.hostname;
  if (host === undefined) return undefined;
  const vendor = Object.values(vendors).find(({ hosts }) => hosts.includes(host));
  if (vendor === undefined) return undefined;
  const name = [model, model.replace(snapshot, "")].find((known) => Object.hasOwn(vendor.models, known));
  const entry = name === undefined ? undefined : vendor.models[name];
  if (entry === undefined || (entry.up_to !== undefined && contextWindow > entry.up_to)) return undefined;
  const { up_to: _, ...price } = entry;
  return price;
}

/** Names of the models with a price, by vendor. */
export const pricedModels = ({ vendors }: PricesFile): ReadonlyMap<string, readonly string[]> =>
  new Map(Object.entries(vendors).map(([vendor, { models }]) => [vendor, Object.keys(models)]));

/** The price of a model in its entry of providers.yaml; undefined if there is none. */
export function configuredPrice(
  providers: ProvidersFile["providers"],
  provider: string,
  model: string,
): Price | undefined {
  const entry = Object.hasOwn(providers, provider) ? providers[provider] : undefined;
  return entry && Object.hasOwn(entry.prices, model) ? entry.prices[model] : undefined;
}
