import type { Rates } from "./price-run.ts";

/** What is kept back of the credits before a run begins, and the tokens that it buys: the engine's hard limit. */
export interface RunHold {
  micros: number;
  tokens: number;
}

/** Fewer tokens than this are no run. */
export const holdTokensMin = 2000;

/** What a plan without a limit of its own lets a run use. */
export const runTokensUnlimited = 10_000_000;

/**
 * The hold of a run of at most `tokensMax` tokens, each at the dearest rate of any model it may call; shrunk to what `remaining`
 * micros buy, and undefined when that is too little for a run. `remaining` undefined: nothing bounds it. `usedTokens` of them it has
 * used already, before it paused.
 */
export function sizeHold(
  tokensMax: number,
  rates: readonly (Rates | undefined)[],
  remaining: number | undefined,
  usedTokens = 0,
): RunHold | undefined {
  const dearest = Math.max(0, ...rates.map(dearestOf));
  const wanted = { tokens: tokensMax, micros: costOf(tokensMax, dearest) };
  if (remaining === undefined || wanted.micros <= Math.max(0, remaining)) return wanted;
  // A run of fewer tokens than that may be all that the plan allows.
  const tokens = Number((BigInt(Math.max(0, remaining)) * 1000n) / BigInt(dearest));
  if (tokens < Math.min(usedTokens + holdTokensMin, tokensMax)) return undefined;
  return { tokens, micros: costOf(tokens, dearest) };
}

function dearestOf(rates: Rates | undefined): number {
  return rates === undefined ? 0 : Math.max(rates.creditsIn, rates.creditsOut, rates.creditsCached);
}

/** Rounded up: the price of no more tokens than these can pass it. */
function costOf(tokens: number, rate: number): number {
  return Number((BigInt(tokens) * BigInt(rate) + 999n) / 1000n);
}
