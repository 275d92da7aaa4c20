/**
 * The pieces of a text that came bit by bit, masked as the whole text is: a secret may begin in one piece and end in another.
 * Pieces that the masking leaves alone stay as they came; the first of the others holds what became of them all.
 */
export function maskPieces(pieces: readonly string[], mask: (text: string) => string): string[] {
  const whole = pieces.join("");
  const masked = mask(whole);
  if (masked === whole) return [...pieces];
  const before = commonStart(whole, masked);
  const after = commonEnd(whole, masked, before);
  const result: string[] = [];
  let changedAt: number | undefined;
  let from = 0;
  for (const piece of pieces) {
    const to = from + piece.length;
    if (to <= before || from >= whole.length - after) result.push(piece);
    else {
      // What stands beside the masked stretch in the same pieces goes with it.
      if (changedAt === undefined) {
        changedAt = result.length;
        result.push(masked.slice(from, masked.length - after));
      } else result.push("");
      if (to > whole.length - after) result[changedAt] += whole.slice(whole.length - after, to);
    }
    from = to;
  }
  // Something was put between two pieces that stay.
  if (changedAt === undefined) return [masked];
  return result;
}

function commonStart(one: string, other: string): number {
  const max = Math.min(one.length, other.length);
  let length = 0;
  while (length < max && one[length] === other[length]) length++;
  return length;
}

function commonEnd(one: string, other: string, start: number): number {
  const max = Math.min(one.length, other.length) - start;
  let length = 0;
  while (length < max && one[one.length - 1 - length] === other[other.length - 1 - length]) length++;
  return length;
}
