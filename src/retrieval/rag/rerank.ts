import type { Reranker } from "../reranking/reranker.ts";

/** The passages in the reranker's order; equal ones keep their order. */
export async function rerank<Passage extends { text: string; rankScore: number }>(
  reranker: Reranker,
  query: string,
  passages: readonly Passage[],
  signal: AbortSignal,
): Promise<Passage[]> {
  if (passages.length === 0) return [];
  const texts = passages.map(({ text }) => text);
  const scores = await reranker.score(query, texts, signal);
  return passages
    .map((passage, index) => ({ ...passage, rankScore: scores[index] ?? 0 }))
    .sort((a, b) => b.rankScore - a.rankScore);
}
