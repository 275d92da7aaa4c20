/** Returns the name closest to `word` if it is near enough to be a likely typo; of equally close names, the first. */
export function didYouMean(word: string, names: Iterable<string>): string | undefined {
  if (word.length > wordLengthMax) return undefined;
  const sought = word.toLowerCase();
  let nearest: string | undefined;
  let distanceMax = Math.max(1, Math.floor(word.length / 3));
  for (const name of names) {
    const distance = editDistance(sought, name.toLowerCase(), distanceMax);
    if (distance === undefined) continue;
    nearest = name;
    if (distance === 0) break;
    distanceMax = distance - 1;
  }
  return nearest;
}

/** Longer words are unlikely to be typos, and the work grows with the square of the length. */
const wordLengthMax = 100;

/**
 * Returns the number of insertions, deletions, replacements and swaps of neighbours that turn `a` into `b` (optimal string alignment), or
 * undefined if it exceeds `distanceMax`.
 */
export function editDistance(a: string, b: string, distanceMax: number): number | undefined {
  if (Math.abs(a.length - b.length) > distanceMax) return undefined;
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = at(last, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped =
        i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
          ? at(beforeLast, j - 2) + 1
          : replaced;
      row.push(Math.min(at(last, j) + 1, at(row, j - 1) + 1, replaced, swapped));
    }
    if (Math.min(...row) > distanceMax) return undefined;
    beforeLast = last;
    last = row;
  }
  const distance = at(last, b.length);
  return distance <= distanceMax ? distance : undefined;
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY;
}
