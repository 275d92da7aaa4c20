/** Largest whole number of dollars whose micros are still exact. */
export const usdMax = Math.floor(Number.MAX_SAFE_INTEGER / 1_000_000);

/** Converts US dollars to integer micros. Returns undefined for a negative amount, above `usdMax`, or with more than six decimals. */
export function microsOfUsd(usd: number): number | undefined {
  if (!(usd >= 0 && usd <= usdMax)) return undefined;
  const exact = usd.toFixed(6);
  if (Number(exact) !== usd) return undefined;
  const micros = Number(exact.replace(".", ""));
  return Number.isSafeInteger(micros) ? micros : undefined;
}

/** Converts micros to US dollars, for the edge. */
export function usdOfMicros(micros: number): number {
  return micros / 1_000_000;
}
