import type { Usage } from "./model.ts";

/** Price of a model's tokens in micros of USD per 1000 tokens; fractions of a micro are allowed. */
export interface Price {
  in: number;
  out: number;
  /** Price of input tokens read from the provider's cache; absent: as `in`. */
  cached?: number;
  /** Price of input tokens written to the provider's cache; absent: as `in`. */
  written?: number;
  /** Prices of sound that was read and made; absent: as `in` and `out`. */
  audio_in?: number;
  audio_out?: number;
}

export const freePrice: Price = { in: 0, out: 0 };

/** Cost of a call in micros of USD, rounded once, half up. */
export function costMicros(usage: Usage, price: Price): number {
  const cached = Math.min(usage.cachedTokens, usage.inputTokens);
  const written = Math.min(usage.writtenTokens ?? 0, usage.inputTokens - cached);
  const heard = Math.min(usage.audioInputTokens ?? 0, usage.inputTokens - cached - written);
  const spoken = Math.min(usage.audioOutputTokens ?? 0, usage.outputTokens);
  const numerator =
    (usage.inputTokens - cached - written - heard) * price.in +
    cached * (price.cached ?? price.in) +
    written * (price.written ?? price.in) +
    heard * (price.audio_in ?? price.in) +
    (usage.outputTokens - spoken) * price.out +
    spoken * (price.audio_out ?? price.out);
  return Math.round(numerator / 1000);
}

/** Highest known price for each part; undefined if none is known. */
export function dearestPrice(prices: readonly (Price | undefined)[]): Price | undefined {
  let dearest: Price | undefined;
  for (const price of prices) {
    if (price === undefined) continue;
    dearest = {
      in: Math.max(dearest?.in ?? 0, price.in, price.cached ?? 0, price.written ?? 0, price.audio_in ?? 0),
      out: Math.max(dearest?.out ?? 0, price.out, price.audio_out ?? 0),
    };
  }
  return dearest;
}
