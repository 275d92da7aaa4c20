import { type Rates, rateUnit, scaledRate } from "../../tariffs/price-run.ts";

/** Credits held before a run begins, and the tokens that they pay for, which are the engine's hard limit. */
export interface RunHold {
  micros: number;
  tokens: number;
  /** Part of `micros` that grants pay. */
  grantMicros: number;
}

/** Minimum number of tokens for a run. */
export const holdTokensMin = 2000;

/** Token limit of a run under a plan without its own limit. */
export const runTokensUnlimited = 10_000_000;

/** Maximum hold. It keeps sums of holds within exact integers: at the dearest tariff, ten million tokens would cost more than those reach. */
const holdMicrosMax = 1_000_000_000_000_000;

/**
 * Sizes the hold of a run of at most `tokensMax` tokens, at the highest rate of any model that it may call. Reduces it to what `remaining`
 * micros pay for; undefined if that is too little for a run. If `remaining` is undefined, only `holdMicrosMax` limits it. `usedTokens` were used before
 * a pause and are included.
 */
export function sizeHold(
  tokensMax: number,
  rates: readonly (Rates | undefined)[],
  remaining: number | undefined,
  usedTokens = 0,
): Omit<RunHold, "grantMicros"> | undefined {
  const dearest = Math.max(0, ...rates.map(dearestOf));
  const wanted = { tokens: tokensMax, micros: costOf(tokensMax, dearest) };
  const payable = Math.min(Math.max(0, remaining ?? holdMicrosMax), holdMicrosMax);
  if (wanted.micros <= payable) return wanted;
  // The plan itself may allow fewer tokens than the minimum.
  const tokens = Number((BigInt(payable) * rateUnit) / scaledRate(dearest));
  if (tokens < Math.min(usedTokens + holdTokensMin, tokensMax)) return undefined;
  return { tokens, micros: costOf(tokens, dearest) };
}

function dearestOf(rates: Rates | undefined): number {
  return rates === undefined ? 0 : Math.max(rates.creditsIn, rates.creditsOut, rates.creditsCached);
}

/** Rounded up, so the price of this many tokens can't exceed it. */
function costOf(tokens: number, rate: number): number {
  return Number((BigInt(tokens) * scaledRate(rate) + rateUnit - 1n) / rateUnit);
}
