/** Mark at the end of a text that was cut. */
const cutMark = " …";

/** Places to divide a text, best first. The matched whitespace is dropped. */
const dividers = [/\n[^\S\n]*\n/g, /\n/g, /(?<=[.!?…。！？])\s/g, /\s/g];

/**
 * Splits `text` into at most `partsMax` parts of at most `charsMax` UTF-16 units. Divides between paragraphs if the parts keep a fair size,
 * else between lines, sentences, words or characters. Text beyond the last part is cut and marked.
 */
export function splitText(text: string, charsMax: number, partsMax: number): string[] {
  const parts: string[] = [];
  let rest = text.trim();
  while (rest !== "") {
    if (parts.length === partsMax - 1 && rest.length > charsMax) {
      const [end] = endOfPart(rest, charsMax - cutMark.length);
      parts.push(rest.slice(0, end).trimEnd() + cutMark);
      break;
    }
    const [end, next] = rest.length <= charsMax ? [rest.length, rest.length] : endOfPart(rest, charsMax);
    parts.push(rest.slice(0, end).trimEnd());
    rest = rest.slice(next).trimStart();
  }
  return parts;
}

/** Finds the end of the first part and the start of the next. */
function endOfPart(text: string, charsMax: number): [end: number, next: number] {
  // One more character, because a divider may directly follow the part.
  const window = text.slice(0, charsMax + 1);
  for (const divider of dividers) {
    let last: RegExpExecArray | undefined;
    for (const match of window.matchAll(divider)) if (match.index <= charsMax) last = match;
    // A short first part would lead to many parts.
    if (last !== undefined && last.index >= charsMax / 4) return [last.index, last.index + last[0].length];
  }
  const splitsPair = /[\ud800-\udbff]/.test(text.charAt(charsMax - 1));
  const end = splitsPair ? charsMax - 1 : charsMax;
  return [end, end];
}
