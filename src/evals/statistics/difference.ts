import { wilsonInterval } from "./wilson.ts";

/** Trials and how many of them have a property. */
export interface Share {
  count: number;
  of: number;
}

/** Sample of amounts by its sums. */
export interface Sample {
  count: number;
  sum: number;
  sumOfSquares: number;
}

const trialsMin = 10;
const sampleMin = 20;

/**
 * Lower limit of how much larger the first share is than the second: Newcombe's hybrid score interval, built from two Wilson intervals
 * (R. G. Newcombe, "Interval estimation for the difference between independent proportions: comparison of eleven methods", Statistics in
 * Medicine 17, 1998, method 10). `z` is the normal quantile of the one-sided confidence. Returns -1, which nothing falls below, for fewer than
 * ten trials: at the edges, score intervals of very few trials promise too much.
 */
export function shareIncreaseAtLeast(one: Share, other: Share, z: number): number {
  if (one.of < trialsMin || other.of < trialsMin) return -1;
  const [rate, otherRate] = [one.count / one.of, other.count / other.of];
  const [low] = wilsonInterval(one.count, one.of, z);
  const [, high] = wilsonInterval(other.count, other.of, z);
  return rate - otherRate - Math.hypot(rate - low, high - otherRate);
}

/**
 * Lower limit of how much the first mean exceeds `factor` times the second, by the unequal-variances statistic of B. L. Welch (Biometrika
 * 34, 1947) with the normal quantile. Returns minus infinity for samples of fewer than 20, for which that quantile is too small.
 */
export function meanExcessAtLeast(one: Sample, other: Sample, factor: number, z: number): number {
  if (one.count < sampleMin || other.count < sampleMin) return Number.NEGATIVE_INFINITY;
  const excess = meanOf(one) - factor * meanOf(other);
  return excess - z * Math.sqrt(squaredError(one) + factor * factor * squaredError(other));
}

export const meanOf = ({ count, sum }: Sample): number => (count === 0 ? 0 : sum / count);

/** Squared standard error of the mean. Rounding can make the variance of equal amounts negative. */
function squaredError(sample: Sample): number {
  const { count, sum, sumOfSquares } = sample;
  return Math.max(0, (sumOfSquares - (sum * sum) / count) / (count - 1)) / count;
}

/**
 * Value that a standard normal variable exceeds with this probability, between 0 and 0.5 (Abramowitz and Stegun, "Handbook of Mathematical
 * Functions", 1964, 26.2.23; error below 0.00045).
 */
export function normalQuantile(tail: number): number {
  const t = Math.sqrt(-2 * Math.log(tail));
  const numerator = 2.515517 + 0.802853 * t + 0.010328 * t * t;
  return t - numerator / (1 + 1.432788 * t + 0.189269 * t * t + 0.001308 * t * t * t);
}
