/** Mark at the end of a text that was cut. */
export const cutMark = " …";

/** Places to divide a text, best first. The matched whitespace is dropped. */
const dividers = [/\n[^\S\n]*\n/g, /\n/g, /(?<=[.!?…。！？])\s/g, /\s/g];

/**
 * Finds the end of the first part of a text, of at most `unitsMax` UTF-16 units, and the start of the next. Divides between paragraphs if the
 * part keeps a fair size, else between lines, sentences, words or characters.
 */
export function endOfPart(text: string, unitsMax: number): [end: number, next: number] {
  // One more character, because a divider may directly follow the part.
  const window = text.slice(0, unitsMax + 1);
  for (const divider of dividers) {
    let last: RegExpExecArray | undefined;
    for (const match of window.matchAll(divider)) if (match.index <= unitsMax) last = match;
    // A short first part would lead to many parts.
    if (last !== undefined && last.index >= unitsMax / 4) return [last.index, last.index + last[0].length];
  }
  const splitsPair = /[\ud800-\udbff]/.test(text.charAt(unitsMax - 1));
  const end = splitsPair ? unitsMax - 1 : unitsMax;
  return [end, end];
}
