import { type BuildCheck, failed } from "./check.ts";

export const similar: BuildCheck<"similar"> = ({ to, min, embedder }, defaults) => ({
  async perform({ response }, { expected }, { embed }, signal) {
    const text = to ?? expected;
    if (text === undefined)
      return failed("there is nothing to compare with; give `to`, or `expected` in the case");
    if (response.trim() === "") return { ...failed("the answer is empty"), score: 0 };
    const [first = [], second = []] = await embed(embedder ?? defaults.embedder, [response, text], signal);
    const score = Math.max(0, Math.min(1, cosine(first, second)));
    return {
      passed: score >= min,
      score,
      reason: `similarity ${score.toFixed(3)}, at least ${min} expected`,
    };
  },
});

/** Cosine of the angle between two vectors; 0 if one has no length. */
export function cosine(first: readonly number[], second: readonly number[]): number {
  let product = 0;
  let ofFirst = 0;
  let ofSecond = 0;
  for (const [at, value] of first.entries()) {
    const other = second[at] ?? 0;
    product += value * other;
    ofFirst += value * value;
    ofSecond += other * other;
  }
  return ofFirst === 0 || ofSecond === 0 ? 0 : product / Math.sqrt(ofFirst * ofSecond);
}
