import type { PairedTest } from "../../contracts/evals/eval-run.ts";

/** Largest p value that counts as a difference. */
const significance = 0.05;

/**
 * Exact two-sided sign test over pairs that differ. For pairs of pass and fail it is the exact form of McNemar's test (Q. McNemar, "Note on
 * the sampling error of the difference between correlated proportions", Psychometrika 12, 1947). Pairs that are equal say nothing about a
 * difference and don't count.
 */
export function signTest(better: number, worse: number): number {
  const pairs = better + worse;
  if (pairs === 0) return 1;
  const least = Math.min(better, worse);
  let tail = 0;
  // Binomial terms of a fair coin, in logarithms: 2^-10000 is not a number.
  let term = -pairs * Math.LN2;
  for (let successes = 0; successes <= least; successes++) {
    tail += Math.exp(term);
    term += Math.log(pairs - successes) - Math.log(successes + 1);
  }
  return Math.min(1, 2 * tail);
}

/**
 * Compares pass rates of the same cases, first before, then after. Of many comparisons of equal targets, some differ by chance, so each must be
 * clearer by their number (Bonferroni's correction): at most 5 % of such runs claim any difference.
 */
export function comparePairs(
  pairs: readonly (readonly [before: number, after: number])[],
  comparisons = 1,
): PairedTest {
  const better = pairs.filter(([before, after]) => after > before).length;
  const worse = pairs.filter(([before, after]) => after < before).length;
  const p = signTest(better, worse);
  return { better, worse, p_value: p, note: noteOf(better, worse, p, Math.max(1, comparisons)) };
}

function noteOf(better: number, worse: number, p: number, comparisons: number): string {
  if (better + worse === 0) return "No case differs.";
  const figures = `${better} better, ${worse} worse, p = ${p < 0.001 ? p.toExponential(1) : p.toFixed(3)}`;
  if (p * comparisons <= significance) return `${figures}: a real difference is likely.`;
  if (p <= significance)
    return `${figures}: of ${comparisons} comparisons, one may look like this by chance. Compare these two alone, in a new run.`;
  return `${figures}: this may be noise. ${advice(better + worse)}`;
}

/** Six pairs that all point in one direction are the fewest with p below 0.05. */
function advice(pairs: number): string {
  return pairs < 6
    ? "Fewer than 6 cases differ: too few to tell a difference from chance. Add cases."
    : "Add cases before you conclude anything.";
}
