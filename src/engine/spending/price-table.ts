import type { PricesFile } from "../../manifest/prices-file.ts";
import type { Model } from "../models/model.ts";
import type { Price } from "./price.ts";
import shipped from "./prices.json" with { type: "json" };

/** The table that Argosy brings: public list prices, with the date at which they were read. */
export const shippedPrices: PricesFile = shipped;

/** A dated snapshot of a model, or the alias of its latest one. */
const snapshot = /-(?:latest|\d{4}-\d{2}-\d{2}|\d{8})$/;

/**
 * The price that a table gives a model; undefined where it gives none. Whose prices apply goes by the server that is called, so
 * that a stranger who speaks a vendor's protocol doesn't get the vendor's prices.
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
