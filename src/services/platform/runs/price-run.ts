import type { RuntimeUsage } from "../../../contracts/runtime/runs.ts";
import type { PricingStatus } from "./schema.ts";

/** What a model's tokens cost, in micros per 1000 tokens. */
export interface Rates {
  creditsIn: number;
  creditsOut: number;
  /** Of input tokens read from a cache. */
  creditsCached: number;
  /** Ours: micros of USD. */
  providerIn: number;
  providerOut: number;
  /** Whether the tariff names a provider cost; where it doesn't, an uncharged run costs what it would have been charged. */
  hasProviderCost?: boolean;
  /** Micros of USD for each second of a run. */
  infraPerSecond: number;
}

/** The rates of a model in force when the run was admitted; undefined: no tariff names it. */
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
  /** What the run costs the operator when it is not charged: the provider's cost, else the tariff's price. */
  lossMicros: number;
  /** `unpriced`: a part of it had no tariff and is charged zero. */
  pricingStatus: PricingStatus;
  usageEstimated: boolean;
  /** Its credits add up to the run's: what rounding leaves over stands with the largest. */
  byModel: PricedUsage[];
}

/**
 * The price of a run: the numerators of all models summed, divided by 1000 once, rounded half up. In whole numbers of any size,
 * since tokens times micros can pass what a double holds exactly.
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

/** More cached tokens than were read at all can't be: they are cut to those. */
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

/** A run takes up one machine for its time, whichever of its models is the dearest to host. */
function infraCost(lines: readonly { rates: Rates | undefined }[], durationMs: number): number {
  const perSecond = Math.max(0, ...lines.map(({ rates }) => rates?.infraPerSecond ?? 0));
  return Number(divideHalfUp(BigInt(perSecond) * BigInt(Math.round(durationMs)), 1000n));
}

/** For numerators that are not negative. */
export function divideHalfUp(numerator: bigint, denominator: bigint): bigint {
  return (numerator * 2n + denominator) / (denominator * 2n);
}
