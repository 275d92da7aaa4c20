import type { Usage } from "../models/model.ts";

/** What a model's tokens cost, in micros of USD per 1000 tokens; fractions of a micro are allowed. */
export interface Price {
  in: number;
  out: number;
  /** Of input tokens that the provider read from its cache; absent: as `in`. */
  cached?: number;
  /** Of input tokens that the provider wrote to its cache; absent: as `in`. */
  written?: number;
}

export const freePrice: Price = { in: 0, out: 0 };

/** What a call cost in micros of USD, rounded once, half up. */
export function costMicros(usage: Usage, price: Price): number {
  const cached = Math.min(usage.cachedTokens, usage.inputTokens);
  const written = Math.min(usage.writtenTokens ?? 0, usage.inputTokens - cached);
  const numerator =
    (usage.inputTokens - cached - written) * price.in +
    cached * (price.cached ?? price.in) +
    written * (price.written ?? price.in) +
    usage.outputTokens * price.out;
  return Math.round(numerator / 1000);
}

/** The dearest of the prices that are known, part by part; undefined when none is. */
export function dearestPrice(prices: readonly (Price | undefined)[]): Price | undefined {
  let dearest: Price | undefined;
  for (const price of prices) {
    if (price === undefined) continue;
    dearest = {
      in: Math.max(dearest?.in ?? 0, price.in, price.cached ?? 0, price.written ?? 0),
      out: Math.max(dearest?.out ?? 0, price.out),
    };
  }
  return dearest;
}
