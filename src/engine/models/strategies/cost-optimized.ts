import type { Standing, Strategy } from "./strategy.ts";

/** Cheapest first; unknown prices come last. */
export const costOptimized: Strategy = (candidates) =>
  candidates.toSorted((a, b) => (priceOf(a) === priceOf(b) ? 0 : priceOf(a) - priceOf(b)));

function priceOf(candidate: Standing): number {
  return candidate.price ?? Number.POSITIVE_INFINITY;
}
