/**
 * Quality of a ranking for one query. All values are 0 to 1, over the given ranking, which must be cut to k first. A hit is the index of
 * the expectation that the passage at that rank is the first to meet; undefined if it meets none, or only some that a better passage has
 * met.
 */
export interface RankingMetrics {
  /** Fraction of the expectations that were met. */
  recall: number;
  /** One divided by the rank of the first hit. */
  reciprocalRank: number;
  /** Hits discounted by rank, relative to the best possible order. */
  ndcg: number;
}

export type Hits = readonly (number | undefined)[];

/** The metrics of a ranking of at most `k` passages for `expected` expectations, at least one. */
export function rankingMetrics(hits: Hits, expected: number, k: number): RankingMetrics {
  const ranks = hits.flatMap((hit, index) => (hit === undefined ? [] : [index + 1]));
  const [first] = ranks;
  const ideal = Array.from({ length: Math.min(expected, k) }, (_, index) => index + 1);
  return {
    recall: ranks.length / expected,
    reciprocalRank: first === undefined ? 0 : 1 / first,
    ndcg: gain(ranks) / gain(ideal),
  };
}

/** The means over all queries; 0 if there are none. */
export function meanMetrics(all: readonly RankingMetrics[]): RankingMetrics {
  return {
    recall: mean(all.map(({ recall }) => recall)),
    reciprocalRank: mean(all.map(({ reciprocalRank }) => reciprocalRank)),
    ndcg: mean(all.map(({ ndcg }) => ndcg)),
  };
}

function gain(ranks: readonly number[]): number {
  return ranks.reduce((sum, rank) => sum + 1 / Math.log2(rank + 1), 0);
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}
