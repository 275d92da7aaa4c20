import type { PricingStatus } from "../../../contracts/platform/observability.ts";
import type { RuntimeUsage } from "../../../contracts/runtime/runs.ts";

/** Prices of a model's tokens, in micros per 1000 tokens. */
export interface Rates {
  creditsIn: number;
  creditsOut: number;
  /** For input tokens read from a cache. */
  creditsCached: number;
  /** The operator's own cost, in micros of USD. */
  providerIn: number;
  providerOut: number;
  /** True if the tariff has a provider cost. If not, the cost of an uncharged run is its price. */
  hasProviderCost?: boolean;
  /** Micros of USD per second of a run. */
  infraPerSecond: number;
}

/** Returns the rates of a model in force when the run was admitted; undefined if no tariff has the model. */
export type RatesOf = (provider: string, model: string) => Rates | undefined;

export interface PricedUsage extends RuntimeUsage {
  creditsMicros: number;
  providerCostMicros: number;
  priced: boolean;
}

export interface RunPrice {
  creditsMicros: number;
  providerCostMicros: number;
  infraCostMicros: number;
  /** The operator's loss if the run is not charged: the provider's cost, or else the tariff's price. */
  lossMicros: number;
  /** `unpriced` if a part of it had no tariff and is charged zero. */
  pricingStatus: PricingStatus;
  usageEstimated: boolean;
  /** Credits by model, which add up to the run's. The rounding difference is added to the largest. */
  byModel: PricedUsage[];
}

/**
 * Prices a run: sums the numerators of all models, divides by 1000 once and rounds half up. Uses integers of any size, because tokens times
 * micros may exceed what a double represents exactly.
 */
export function priceRun(usage: readonly RuntimeUsage[], ratesOf: RatesOf, durationMs: number): RunPrice {
  const lines = usage.map((used) => {
    const rates = ratesOf(used.provider, used.model);
    return { used, rates, numerator: rates === undefined ? 0n : creditNumerator(used, rates) };
  });
  const total = divideHalfUp(
    lines.reduce((sum, { numerator }) => sum + numerator, 0n),
    1000n,
  );
  const byModel = lines.map(
    ({ used, rates, numerator }): PricedUsage => ({
      ...used,
      creditsMicros: Number(numerator / 1000n),
      providerCostMicros: rates === undefined ? 0 : providerCost(used, rates),
      priced: rates !== undefined,
    }),
  );
  const largest = byModel.reduce<PricedUsage | undefined>(
    (most, line) => (most === undefined || line.creditsMicros > most.creditsMicros ? line : most),
    undefined,
  );
  const shared = byModel.reduce((sum, { creditsMicros }) => sum + creditsMicros, 0);
  if (largest !== undefined) largest.creditsMicros += Number(total) - shared;
  const losses = lines.map(({ rates }, index) => {
    const line = byModel[index];
    return (rates?.hasProviderCost === false ? line?.creditsMicros : line?.providerCostMicros) ?? 0;
  });
  return {
    creditsMicros: Number(total),
    providerCostMicros: byModel.reduce((sum, line) => sum + line.providerCostMicros, 0),
    infraCostMicros: infraCost(lines, durationMs),
    lossMicros: losses.reduce((sum, micros) => sum + micros, 0),
    pricingStatus: byModel.every(({ priced }) => priced) ? "priced" : "unpriced",
    usageEstimated: usage.some(({ estimated }) => estimated),
    byModel,
  };
}

/** Limits cached tokens to the tokens read. */
function creditNumerator({ tokens_in, tokens_out, tokens_cached }: RuntimeUsage, rates: Rates): bigint {
  const cached = Math.min(tokens_cached, tokens_in);
  return (
    BigInt(tokens_in - cached) * BigInt(rates.creditsIn) +
    BigInt(cached) * BigInt(rates.creditsCached) +
    BigInt(tokens_out) * BigInt(rates.creditsOut)
  );
}

function providerCost({ tokens_in, tokens_out }: RuntimeUsage, rates: Rates): number {
  const numerator =
    BigInt(tokens_in) * BigInt(rates.providerIn) + BigInt(tokens_out) * BigInt(rates.providerOut);
  return Number(divideHalfUp(numerator, 1000n));
}

/** Cost of one machine for the duration of the run, at the highest rate among its models. */
function infraCost(lines: readonly { rates: Rates | undefined }[], durationMs: number): number {
  const perSecond = Math.max(0, ...lines.map(({ rates }) => rates?.infraPerSecond ?? 0));
  return Number(divideHalfUp(BigInt(perSecond) * BigInt(Math.round(durationMs)), 1000n));
}

/** For non-negative numerators. */
export function divideHalfUp(numerator: bigint, denominator: bigint): bigint {
  return (numerator * 2n + denominator) / (denominator * 2n);
}
