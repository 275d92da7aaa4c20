import type { Usage } from "../models/model.ts";

/** What a model's tokens cost, in micros of USD per 1000 tokens. */
export interface Price {
  in: number;
  out: number;
  /** Of input tokens that the provider read from its cache; absent: as `in`. */
  cached?: number;
}

export const freePrice: Price = { in: 0, out: 0 };

/** What a call cost in micros of USD, rounded once, half up. */
export function costMicros({ inputTokens, outputTokens, cachedTokens }: Usage, price: Price): number {
  const cached = Math.min(cachedTokens, inputTokens);
  const numerator =
    (inputTokens - cached) * price.in + cached * (price.cached ?? price.in) + outputTokens * price.out;
  return Math.round(numerator / 1000);
}

/** The dearest of several prices, part by part; undefined when one of them is unknown or there is none. */
export function dearestPrice(prices: readonly (Price | undefined)[]): Price | undefined {
  let dearest: Price | undefined;
  for (const price of prices) {
    if (price === undefined) return undefined;
    dearest = {
      in: Math.max(dearest?.in ?? 0, price.in, price.cached ?? 0),
      out: Math.max(dearest?.out ?? 0, price.out),
    };
  }
  return dearest;
}
