import { redacted } from "../../../kit/secrets/secret-registry.ts";

/**
 * Masks a text that arrived in pieces as one text, because a secret may begin in one piece and end in another. The replacement is placed in
 * the piece in which the secret began.
 */
export function maskPieces(pieces: readonly string[], mask: (text: string) => string): string[] {
  const whole = pieces.join("");
  const masked = mask(whole);
  if (masked === whole) return [...pieces];
  const hidden = hiddenRanges(whole, masked);
  let from = 0;
  return pieces.map((piece) => {
    const to = from + piece.length;
    let maskedText = "";
    let at = from;
    for (const range of hidden) {
      if (range.to <= at || range.from >= to) continue;
      maskedText += whole.slice(at, Math.max(at, range.from));
      if (range.from >= from) maskedText += redacted;
      at = Math.min(to, range.to);
    }
    maskedText += whole.slice(at, to);
    from = to;
    return maskedText;
  });
}

/** The ranges of `whole` that `masked` hides. */
function hiddenRanges(whole: string, masked: string): { from: number; to: number }[] {
  const [first = "", ...rest] = masked.split(redacted);
  const ranges: { from: number; to: number }[] = [];
  let at = first.length;
  for (const [index, maskedPiece] of rest.entries()) {
    const isLast = index === rest.length - 1;
    // A hidden range has at least one character.
    const next = isLast ? whole.length - maskedPiece.length : whole.indexOf(maskedPiece, at + 1);
    const to = next < at ? whole.length : next;
    ranges.push({ from: at, to });
    at = to + maskedPiece.length;
  }
  return ranges;
}
