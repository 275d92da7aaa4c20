/** The whole dollars whose micros are still exact. */
export const usdMax = Math.floor(Number.MAX_SAFE_INTEGER / 1_000_000);

/** US dollars as the integer number of micros they are; undefined for what is negative, above `usdMax` or has more than six decimals. */
export function microsOfUsd(usd: number): number | undefined {
  if (!(usd >= 0 && usd <= usdMax)) return undefined;
  const exact = usd.toFixed(6);
  if (Number(exact) !== usd) return undefined;
  const micros = Number(exact.replace(".", ""));
  return Number.isSafeInteger(micros) ? micros : undefined;
}

/** Micros as US dollars, for the edge. */
export function usdOfMicros(micros: number): number {
  return micros / 1_000_000;
}

/** Micros in words: `$1.50`, `$0.000012`; two decimals at least, six at most. */
export function usdText(micros: number): string {
  const [whole = "0", decimals = ""] = (Math.abs(micros) / 1_000_000).toFixed(6).split(".");
  const shown = decimals.replace(/0{1,4}$/, "");
  return `${micros < 0 ? "-" : ""}$${whole}.${shown}`;
}
