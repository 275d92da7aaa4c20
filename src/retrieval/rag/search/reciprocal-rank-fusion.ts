/** Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion" (SIGIR 2009): the constant that worked in all their experiments. */
const k = 60;

/** Score of a position in a list; `rank` starts at 1. */
export const rankScore = (rank: number) => 1 / (k + rank);

/**
 * Merges several lists, each best first: an item scores 1 / (60 + rank) for each list that has it. If scores are equal, the more similar
 * item comes first.
 */
export function fuseRanks<Item extends { id: string; score: number }>(
  lists: readonly (readonly Item[])[],
): (Item & { rankScore: number })[] {
  const fused = new Map<string, Item & { rankScore: number }>();
  for (const list of lists) {
    for (const [index, item] of list.entries()) {
      const known = fused.get(item.id);
      if (known === undefined) fused.set(item.id, { ...item, rankScore: rankScore(index + 1) });
      else known.rankScore += rankScore(index + 1);
    }
  }
  return [...fused.values()].sort(
    (a, b) => b.rankScore - a.rankScore || b.score - a.score || (a.id < b.id ? -1 : 1),
  );
}
