import { normalized } from "../../kit/text/normalize.ts";
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

/** The parts of a passage that are judged. */
export interface JudgedPassage {
  document: string;
  text: string;
}

/** An expected result: any passage of a document, or one that contains a text. */
export interface ExpectedPassage {
  document: string;
  contains?: string | undefined;
}

/** Hit of each passage, best passage first. Every expectation is met once, and a passage meets at most one. */
export function judgeRanking(passages: readonly JudgedPassage[], expected: readonly ExpectedPassage[]): Hits {
  const open = new Set(expected.keys());
  const wanted = expected.map(({ contains }) => (contains === undefined ? undefined : comparable(contains)));
  return passages.map((passage) => {
    const text = comparable(passage.text);
    // Prefers an expectation with a text in the passage over one that accepts any passage of the document.
    const fitting = [...open].filter((index) => {
      const contains = wanted[index];
      return (
        expected[index]?.document === passage.document && (contains === undefined || text.includes(contains))
      );
    });
    const hit = fitting.find((index) => wanted[index] !== undefined) ?? fitting[0];
    if (hit !== undefined) open.delete(hit);
    return hit;
  });
}

/** Normalizes case, Unicode form and white space. */
function comparable(text: string): string {
  return normalized(text, "NFC").toLowerCase().replace(/\s+/g, " ").trim();
}
