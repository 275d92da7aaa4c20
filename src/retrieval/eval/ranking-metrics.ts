/**
 * How well a ranking answers one query. All are 0 to 1, over the ranking as it is given: cut it to k first.
 * A hit is the number of the expectation that the passage at that rank is the first to meet; undefined: it meets none, or
 * only such as a better one has met already.
 */
export interface RankingMetrics {
  /** The part of what was expected that is there. */
  recall: number;
  /** One by the rank of the first hit. */
  reciprocalRank: number;
  /** Hits, each counting less the later it comes, against the best order there could be. */
  ndcg: number;
}

export type Hits = readonly (number | undefined)[];

/** The metrics of one ranking of at most `k` passages for `expected` things, of which there is at least one. */
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

/** The means over all queries; 0 where there are none. */
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
