/** 97.5 % quantile of the normal distribution, for an interval at 95 %. */
const z95 = 1.959964;

/**
 * Wilson score interval of a proportion, at 95 % unless another quantile `z` is given (E. B. Wilson, "Probable inference, the law of succession, and statistical inference",
 * JASA 22, 1927). Unlike the normal approximation it stays inside 0 to 1 and holds for few trials. `successes` may be a fraction, the sum
 * of rates of cases. Returns the whole range for no trials.
 */
export function wilsonInterval(successes: number, trials: number, z = z95): [low: number, high: number] {
  if (trials === 0) return [0, 1];
  const rate = successes / trials;
  const square = z * z;
  const centre = (rate + square / (2 * trials)) / (1 + square / trials);
  const half =
    (z / (1 + square / trials)) * Math.sqrt((rate * (1 - rate)) / trials + square / (4 * trials * trials));
  return [Math.max(0, centre - half), Math.min(1, centre + half)];
}
