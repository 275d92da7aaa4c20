/** Returns a quantile of sorted figures, NaN if there are none. */
export const quantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;

/** Returns quantiles of figures in any order as text. */
export function quantiles(figures: readonly number[], shares: readonly number[], digits = 1): string[] {
  const sorted = figures.toSorted((a, b) => a - b);
  return shares.map((share) => quantile(sorted, share).toFixed(digits));
}

/** Returns the median of the finite values, NaN if there are none. */
export const median = (values: readonly number[]): number =>
  quantile(
    values.filter(Number.isFinite).sort((a, b) => a - b),
    0.5,
  );
