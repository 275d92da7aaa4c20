import type { PricingStatus } from "../../../contracts/platform/observability.ts";
import type { RuntimeUsage } from "../../../contracts/runtime/runs.ts";

/** Prices of a model's tokens, in micros per 1000 tokens, with at most three decimals. */
export interface Rates {
  creditsIn: number;
  creditsOut: number;
  /** For input tokens read from a cache. */
  creditsCached: number;
  /** What the provider charges the operator, in micros of USD; undefined if the tariff doesn't have it. */
  providerIn?: number | undefined;
  providerOut?: number | undefined;
  providerCached?: number | undefined;
  /** Micros of USD per second of a run. */
  infraPerSecond: number;
}

/** Returns the rates of a model in force when the run was admitted; undefined if no tariff has the model. */
export type RatesOf = (provider: string, model: string) => Rates | undefined;

export interface PricedUsage extends RuntimeUsage {
  creditsMicros: number;
  /** Null if no price is known. */
  providerCostMicros: number | null;
  priced: boolean;
}

export interface RunPrice {
  creditsMicros: number;
  /** Sum of the known costs. */
  providerCostMicros: number;
  /** True if the cost of a part of the run is unknown. */
  costUnknown: boolean;
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
 * Prices a run: sums the numerators of all models, divides once and rounds half up. Uses integers of any size, because tokens times
 * micros may exceed what a double represents exactly.
 */
export function priceRun(usage: readonly RuntimeUsage[], ratesOf: RatesOf, durationMs: number): RunPrice {
  const lines = usage.map((used) => {
    const rates = ratesOf(used.provider, used.model);
    return { used, rates, numerator: rates === undefined ? 0n : creditNumerator(used, rates) };
  });
  const total = divideHalfUp(
    lines.reduce((sum, { numerator }) => sum + numerator, 0n),
    rateUnit,
  );
  const byModel = lines.map(
    ({ used, rates, numerator }): PricedUsage => ({
      ...used,
      creditsMicros: Number(numerator / rateUnit),
      providerCostMicros: providerCost(used, rates),
      priced: rates !== undefined,
    }),
  );
  const largest = byModel.reduce<PricedUsage | undefined>(
    (most, line) => (most === undefined || line.creditsMicros > most.creditsMicros ? line : most),
    undefined,
  );
  const shared = byModel.reduce((sum, { creditsMicros }) => sum + creditsMicros, 0);
  if (largest !== undefined) largest.creditsMicros += Number(total) - shared;
  const losses = byModel.map((line) => line.providerCostMicros ?? line.creditsMicros);
  return {
    creditsMicros: Number(total),
    providerCostMicros: byModel.reduce((sum, line) => sum + (line.providerCostMicros ?? 0), 0),
    costUnknown: byModel.some(({ providerCostMicros }) => providerCostMicros === null),
    infraCostMicros: infraCost(lines, durationMs),
    lossMicros: losses.reduce((sum, micros) => sum + micros, 0),
    pricingStatus: byModel.every(({ priced }) => priced) ? "priced" : "unpriced",
    usageEstimated: usage.some(({ estimated }) => estimated),
    byModel,
  };
}

/** Rates have three decimals, so the numerators are in thousandths of a micro per 1000 tokens. */
export const rateUnit = 1_000_000n;

/** Returns a rate as a whole number of `rateUnit`. */
export const scaledRate = (rate: number): bigint => BigInt(Math.round(rate * 1000));

const creditNumerator = (used: RuntimeUsage, { creditsIn, creditsOut, creditsCached }: Rates): bigint =>
  numeratorOf(used, { in: creditsIn, out: creditsOut, cached: creditsCached });

/** Limits cached tokens to the tokens read. */
function numeratorOf(
  { tokens_in, tokens_out, tokens_cached }: RuntimeUsage,
  rates: { in: number; out: number; cached: number },
): bigint {
  const cached = Math.min(tokens_cached, tokens_in);
  return (
    BigInt(tokens_in - cached) * scaledRate(rates.in) +
    BigInt(cached) * scaledRate(rates.cached) +
    BigInt(tokens_out) * scaledRate(rates.out)
  );
}

/**
 * The tariff's provider cost. If the tariff lacks a part of it, and the engine knew the price of the calls, the engine's. A cost of 0 there
 * means a model on the operator's own machines. Null if neither is known.
 */
function providerCost(used: RuntimeUsage, rates: Rates | undefined): number | null {
  const known = used.cost_micros ?? null;
  const { providerIn, providerOut, providerCached } = rates ?? {};
  if (providerIn === undefined && providerOut === undefined) return hasTokens(used) ? known : 0;
  const isComplete =
    (providerIn !== undefined || used.tokens_in === 0) &&
    (providerOut !== undefined || used.tokens_out === 0) &&
    (providerCached !== undefined || used.tokens_cached === 0);
  if (!isComplete && known !== null && known > 0) return known;
  const input = providerIn ?? 0;
  const byTariff = { in: input, out: providerOut ?? 0, cached: providerCached ?? input };
  return Number(divideHalfUp(numeratorOf(used, byTariff), rateUnit));
}

const hasTokens = ({ tokens_in, tokens_out }: RuntimeUsage) => tokens_in > 0 || tokens_out > 0;

/** Cost of one machine for the duration of the run, at the highest rate among its models. */
function infraCost(lines: readonly { rates: Rates | undefined }[], durationMs: number): number {
  const perSecond = Math.max(0, ...lines.map(({ rates }) => rates?.infraPerSecond ?? 0));
  return Number(divideHalfUp(BigInt(perSecond) * BigInt(Math.round(durationMs)), 1000n));
}

/** For non-negative numerators. */
export function divideHalfUp(numerator: bigint, denominator: bigint): bigint {
  return (numerator * 2n + denominator) / (denominator * 2n);
}
