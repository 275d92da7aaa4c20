/**
 * Compares texts by code point, with a result below, equal to or above zero. This is the order of their UTF-8 bytes, as in every store.
 * JavaScript's own `<` sorts emoji before U+E000 to U+FFFF.
 */
export function compareTexts(a: string, b: string): number {
  const end = Math.min(a.length, b.length);
  let at = 0;
  while (at < end && a.charCodeAt(at) === b.charCodeAt(at)) at++;
  if (at === end) return a.length - b.length;
  // Inside surrogate pairs: the characters that differ begin one unit earlier.
  if (at > 0 && isHighSurrogate(a.charCodeAt(at - 1))) {
    const difference = codePoint(a, at - 1) - codePoint(b, at - 1);
    if (difference !== 0) return difference;
  }
  return codePoint(a, at) - codePoint(b, at);
}

const codePoint = (text: string, at: number) => text.codePointAt(at) ?? 0;

const isHighSurrogate = (unit: number) => unit >= 0xd800 && unit <= 0xdbff;
