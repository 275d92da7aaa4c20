import type { ProvidersFile } from "../../manifest/files/providers-file.ts";
import type { Price } from "./price.ts";

/** The price of a model in its entry of providers.yaml; undefined if there is none. */
export function configuredPrice(
  providers: ProvidersFile["providers"],
  provider: string,
  model: string,
): Price | undefined {
  const entry = Object.hasOwn(providers, provider) ? providers[provider] : undefined;
  const price = entry && Object.hasOwn(entry.prices, model) ? entry.prices[model] : undefined;
  if (price === undefined) return undefined;
  const { in: input, out, cached } = price;
  return { in: input, out, ...(cached === undefined ? {} : { cached }) };
}
